import { testLongTexts } from "./hostile-fixture.ts";

testLongTexts(20);
