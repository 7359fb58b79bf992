import type { ApiClient } from "../api-client.ts"
import type { NamedKey } from "../key-folder.ts"
import type { Terminal } from "../terminal.ts"

/** Context of every command that stamps. */
export type Stamping = {
  client: ApiClient & { key: NamedKey }
  organizationId: string
  terminal: Terminal
  /** Folder of requests without outcome. */
  requestsFolder: string
}

/** Context of every command that shows requests. `pinsFile`: pins of the deployment, if there are any. */
export type Reviewing = Stamping & { pinsFile: string }
