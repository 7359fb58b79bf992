import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf"
import { writeJson } from "../../../proto/write.ts"

/** A message of the interface as JSON text. Lists, false and "" are never left out. */
export function jsonText<Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
): string {
  return JSON.stringify(writeJson(schema, create(schema, message)))
}
