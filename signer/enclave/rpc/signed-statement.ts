import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import type { ServingState } from "./context.ts"

/** A statement of the signer with its signature. Each kind has a tag of its own. */
export function signStatement<S extends DescMessage>(
  tag: string,
  schema: S,
  fields: MessageInitShape<S>,
  { notary }: ServingState["keyring"],
) {
  const statement = toBinary(schema, create(schema, fields))
  return { statement, signature: notary.sign(tag, statement) }
}
