import { inSlices, type Steps } from "../../../../signer/core/turns/steps.ts"
import { TurnQueue } from "../../../../signer/core/turns/turn-queue.ts"
import type { AnswerSize } from "./answer-size.ts"
import type { QueryContext } from "./query.ts"

/** One slice of one list runs in each turn of the event loop. */
export const answerSlices = new TurnQueue({ perTurn: 1 })

type Writing = Pick<QueryContext, "callerOrganization"> & { size: AnswerSize }

/**
 * The texts of a list without pages, separated by commas. They are written in slices, so they delay no other request.
 *
 * @throws ApiError 400 LIST_TOO_LARGE as soon as the answer exceeds its bound
 */
export function textInSlices<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  { callerOrganization, size }: Writing,
): Promise<string> {
  return inSlices(write(rows, textOf, size), callerOrganization.id, answerSlices)
}

function* write<Row>(rows: readonly Row[], textOf: (row: Row) => string, size: AnswerSize): Steps<string> {
  const texts: string[] = []
  for (const row of rows) {
    const text = textOf(row)
    size.add(text)
    texts.push(text)
    yield
  }
  return texts.join()
}
