import { type ApiClient, post } from "../api-client.ts"

/** Whom the API takes the holder of the client's key for. */
export async function whoami(client: ApiClient, organizationId: string): Promise<unknown> {
  return post(client, "/public/v1/query/whoami", JSON.stringify({ organizationId }))
}
