import { inSlices, type Steps } from "../../../../signer/core/turns/steps.ts"
import { TurnQueue } from "../../../../signer/core/turns/turn-queue.ts"
import type { QueryContext } from "./query.ts"

/** One slice of one list runs in each turn of the event loop. */
const slices = new TurnQueue({ perTurn: 1 })

/** The texts of a list without pages, separated by commas. They are written in slices, so they delay no other request. */
export function textInSlices<Row>(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  { callerOrganization }: Pick<QueryContext, "callerOrganization">,
): Promise<string> {
  return inSlices(write(rows, textOf), callerOrganization.id, slices)
}

function* write<Row>(rows: readonly Row[], textOf: (row: Row) => string): Steps<string> {
  const texts: string[] = []
  for (const row of rows) {
    texts.push(textOf(row))
    yield
  }
  return texts.join()
}
