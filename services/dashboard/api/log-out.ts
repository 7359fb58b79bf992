// Logging out: the session ends at the server, so that a copy of its key is worth nothing.
import { activityBody, query, submit } from "./client.ts"
import { forgetLogin, requireLogin } from "./login.ts"
import type { User } from "./people.ts"
import { exactTime } from "../words/time.ts"

/** Ends the login of this browser. It is forgotten here whatever the server answers, and the login page says what ended. */
export async function logOut(): Promise<void> {
  const current = requireLogin()
  if (current.by === "passkey") {
    const end = exactTime(current.expiresAtMs)
    return forgetLogin(
      `You are logged out. This browser has removed its read-only session, which no server keeps: a copy of it could read, and change nothing, until ${end}.`,
      "left",
    )
  }
  try {
    await endKey(current.organizationId, current.userId, current.key.publicKey)
    await forgetLogin("You are logged out. The session has ended at the server too.", "left")
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await forgetLogin(
      `This browser has removed its key, but the server has not ended the session: ${reason} It ends by itself at ${exactTime(current.expiresAtMs)}, and can be removed under People, at its user.`,
    )
  }
}

/** Deletes the session's key, in an activity that the key itself stamps. @throws {ApiFault} */
async function endKey(organizationId: string, userId: string, publicKey: string): Promise<void> {
  const { users } = await query<{ users: User[] }>("list_users", { userIds: [userId] })
  const own = users[0]?.apiKeys.find(({ credential }) => credential.publicKey === publicKey)
  if (own === undefined) throw new Error("the API does not list its key.")
  const parameters = { userId, apiKeyIds: [own.apiKeyId] }
  const body = activityBody("ACTIVITY_TYPE_DELETE_API_KEYS", parameters, organizationId)
  const { status } = await submit("delete_api_keys", body)
  if (status !== "ACTIVITY_STATUS_COMPLETED") throw new Error("the activity that ends it waits for approval.")
}
