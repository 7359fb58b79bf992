import type { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { allRecords, type RecordRow } from "../../store/records.ts"
import type { AnswerSize } from "./answer-size.ts"
import type { QueryContext } from "./query.ts"
import { textInSlices } from "./text-in-slices.ts"

/**
 * The texts of an organization's records of one kind, oldest first, separated by commas. Only one page of records and the
 * text written so far are in memory.
 *
 * @throws ApiError 400 LIST_TOO_LARGE
 */
export async function recordsText(
  kind: RecordKind,
  textOf: (row: RecordRow) => string,
  { sql, organization, callerOrganization }: QueryContext,
  size: AnswerSize,
): Promise<string> {
  const texts: string[] = []
  for await (const rows of allRecords(sql, organization.id, kind))
    texts.push(await textInSlices(rows, textOf, { callerOrganization, size }))
  return texts.join()
}
