import type { ApiClient } from "../api-client.ts"
import type { NamedKey } from "../key-folder.ts"
import type { Terminal } from "../terminal.ts"

/** What every command that stamps works with. */
export type Stamping = {
  client: ApiClient & { key: NamedKey }
  organizationId: string
  terminal: Terminal
  /** Folder of requests without outcome. */
  requestsFolder: string
}
