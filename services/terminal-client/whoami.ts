import { type Querying, query } from "./api-client.ts"

type Caller = { userId: string; username: string; organizationName: string }

/** The user and organization of the client's key. */
export function whoami(querying: Querying): Promise<Caller> {
  return query<Caller>(querying, "whoami")
}
