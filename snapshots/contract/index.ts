/** The contract room has the scripts that every server is held to, and the libraries that they are run over.
 *  It offers the demo library as the command line builds it.
 *  Nothing that ships imports it. */
export { copyBuiltDemo } from "./built-demo.ts";
