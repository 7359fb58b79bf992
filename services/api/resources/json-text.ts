import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf"
import { writeJson } from "../../../proto/write.ts"

/** A message of the interface as JSON text. Lists, false and "" are never left out. */
export function jsonText<Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
): string {
  return JSON.stringify(writeJson(schema, create(schema, message)))
}

/** `jsonText`, with lists that were written before: `lists` has their items by JSON name, separated by commas. */
export function jsonTextWith<Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
  lists: { readonly [name: string]: string },
): string {
  const members = Object.entries(writeJson(schema, create(schema, message))).map(([name, value]) => {
    const items = lists[name]
    return `${JSON.stringify(name)}:${items === undefined ? JSON.stringify(value) : `[${items}]`}`
  })
  return `{${members.join()}}`
}
