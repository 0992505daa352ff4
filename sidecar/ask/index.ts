/** The ask room answers questions: it finds passages, asks the model where there is one, and checks every quote.
 *  It takes a question and a view and gives an `AskResponse`, whole or as a stream.
 *  Without a model, or when it fails, the answer is made of the passages. */
export { type AnswerModel, limitModel, MODEL_DEADLINE, openAnswerModel } from "./answer-model.ts";
export { askResponse } from "./ask-response.ts";
export type { CountedSnapshot, Counting } from "./counted.ts";
export { type Ask, openAsk, wholeAnswer } from "./library.ts";
export { type AskTool, openSemantic, QUERY_EMBEDDING_MS, type Semantic, type SemanticTool } from "./semantic.ts";
