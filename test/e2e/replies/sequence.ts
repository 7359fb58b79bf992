import type { Test } from "tap"
import type { DocumentedApi } from "../../harness/documented-api.ts"

/** Requests of one organization that follow one another. Together the sequences ask for every operation. */
export type Sequence = {
  title: string
  /** Settings of the API, in a system of the sequences that have any. Absent: the sequence runs on the shared system. */
  settings?: NodeJS.ProcessEnv
  /** Sends the requests; may add tests of its own. */
  run: (t: Test, api: DocumentedApi) => Promise<void>
}
