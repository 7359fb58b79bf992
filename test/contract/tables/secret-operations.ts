// Operations on secrets, which the document lacks, as published clients know them.
import { beyond, type Fields, list, record, silentRequired, string } from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"
import { paginationOptions } from "./resources.ts"

const strings = silentRequired(list(string))

const keyValue: Fields = { key: silentRequired(string), value: silentRequired(string) }

/** A secret without its content. A secret without name has no member `name`. */
const secretMetadata: Fields = {
  secretId: silentRequired(string),
  name: beyond(string),
  staticProperties: silentRequired(list(record(keyValue))),
  createdAtUnixMs: silentRequired(string),
}

export const secretReplies: readonly Reply[] = [
  reply("INIT_IMPORT_SECRETS", "", "initImportSecrets", { enclaveTargetMessages: strings }),
  reply("IMPORT_SECRETS", "", "importSecrets", { secretIds: strings }),
  reply("EXPORT_SECRETS", "", "exportSecrets", { secretPayloads: strings }),
  reply("DELETE_SECRETS", "", "deleteSecrets", { secretIds: strings }),
]

export const secretQueries: readonly QueryOperation[] = [
  {
    path: "list_secrets",
    body: { organizationId: silentRequired(string), paginationOptions: beyond(record(paginationOptions)) },
    reply: { secrets: silentRequired(list(record(secretMetadata))) },
  },
]
