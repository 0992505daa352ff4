/** Refusal is a server's refusal, so that an answer is told from a network that is not there. */

export class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The server answers ${status}.`);
    this.status = status;
  }
}

/** describeFailure says why a search shows nothing. */
export function describeFailure(error: unknown): string {
  return error instanceof Refusal
    ? `The search did not answer (${error.status}). Try again in a while.`
    : "The search could not be reached. Try again when the network is there.";
}
