import { type ApiClient, post } from "../api-client.ts"

/** The user and organization of the client's key. */
export async function whoami(client: ApiClient, organizationId: string): Promise<unknown> {
  return post(client, "/public/v1/query/whoami", JSON.stringify({ organizationId }))
}
