// Session profiles: published clients create them and log in with them.
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import { verifySessionJwtSignature } from "@turnkey/crypto"
import { TurnkeyClient } from "@turnkey/http"
import { Turnkey } from "@turnkey/sdk-server"
import { signParams } from "../../harness/api-client.ts"
import { newKey, type TestKey } from "../../harness/stamper.ts"
import { subOrganization } from "../../harness/sub-organization.ts"
import { type Json, privateKeyHex } from "../../harness/system.ts"
import { wallet } from "../wallets.ts"
import type { Sequence } from "./sequence.ts"

const NIL = "00000000-0000-4000-8000-000000000000"
const scope = "activity.action != 'SIGN'"

export const sessionProfiles: Sequence = {
  title: "session profiles, over HTTP:",
  run: async (t, api) => {
    const { system, submit, query, send, refused, organizationId, root, rootUserId } = api
    const address = await wallet(system, api, "First")
    const keysOf = (key: TestKey) => ({ apiPublicKey: key.publicKeyHex, apiPrivateKey: privateKeyHex(key) })
    const clientOf = (key: TestKey) => {
      const server = new Turnkey({
        apiBaseUrl: system.url,
        ...keysOf(key),
        defaultOrganizationId: organizationId,
      })
      return server.apiClient()
    }
    t.test("replies have the documented shape, below the parent too", async (t) => {
      const parameters = { sessionProfileName: "reader", scope, expirationSeconds: "600", notes: "reads" }
      const made = await submit("CREATE_SESSION_PROFILE", parameters)
      const { sessionProfileId } = made
      const { sessionProfile } = await query("get_session_profile", { sessionProfileId })
      t.match(sessionProfile, { sessionProfileId, ...parameters })
      t.same(await query("get_session_profiles"), { sessionProfiles: [sessionProfile] })
      const customer = subOrganization([{ name: "root", key: newKey() }])
      const born = await submit("CREATE_SUB_ORGANIZATION_V7", customer)
      const below = { organizationId: born["subOrganizationId"] }
      t.same(await query("get_session_profiles", below), { sessionProfiles: [sessionProfile] })
      t.same(await query("get_session_profile", { ...below, sessionProfileId }), { sessionProfile })
      await refused("get_session_profile", { sessionProfileId: NIL }, [404, 5])

      const remove = { sessionProfileId }
      t.same(await submit("DELETE_SESSION_PROFILE", remove), remove)
      t.same(await query("get_session_profiles"), { sessionProfiles: [] })
      t.same(await query("get_session_profiles", below), { sessionProfiles: [] })
      await refused("get_session_profile", remove, [404, 5])
      const again = await refused("DELETE_SESSION_PROFILE", remove, [404, 5])
      t.match(again, { message: `unable to find session profile ${String(sessionProfileId)}` })
    })

    t.test("a published client's login with a session profile is confined to its scope", async (t) => {
      const sdk = clientOf(root)
      const made = await sdk.createSessionProfile({ sessionProfileName: "no signing", scope })
      const { sessionProfileId } = made
      const key = newKey()
      const { session } = await sdk.stampLogin({ publicKey: key.publicKeyHex, sessionProfileId })
      const pins = (await system.send("/public/v1/pins", {})).json
      t.ok(await verifySessionJwtSignature(session, String(pins["notarizerPublicKey"]).slice(-130)))
      t.match(JSON.parse(Buffer.from(session.split(".")[1]!, "base64url").toString()), {
        session_type: "no signing",
        session_profile_id: sessionProfileId,
        scope,
        user_id: rootUserId,
        organization_id: organizationId,
      })
      const { apiKeys } = await query("get_api_keys")
      t.match(
        (apiKeys as { credential: Json }[]).find(
          ({ credential }) => credential["publicKey"] === key.publicKeyHex,
        ),
        { credential: { type: "CREDENTIAL_TYPE_LOGIN", sessionProfileId }, expirationSeconds: "900" },
      )

      const confined = clientOf(key)
      t.match(await confined.getWhoami({ organizationId }), { userId: rootUserId })
      t.ok((await confined.createUserTag({ userTagName: "made in the session", userIds: [] })).userTagId)
      const unsigned = confined.signRawPayload(signParams(address) as never)
      await t.rejects(unsigned, { code: 7, message: /session profile "no signing" does not allow/ })
      t.ok((await sdk.signRawPayload(signParams(address) as never)).r, "the user's own key signs")

      await submit("DELETE_SESSION_PROFILE", { sessionProfileId })
      const later = confined.signRawPayload(signParams(address) as never)
      await t.rejects(later, { code: 7, message: /session profile "no signing" does not allow/ })
      t.ok((await confined.createUserTag({ userTagName: "after the deletion", userIds: [] })).userTagId)
      const shown = (await query("get_api_keys"))["apiKeys"] as { credential: Json }[]
      t.ok(
        shown.some(({ credential }) => credential["sessionProfileId"] === sessionProfileId),
        "the session is shown with the profile that it was opened with",
      )
      const named = sdk.stampLogin({ publicKey: newKey().publicKeyHex, sessionProfileId })
      await t.rejects(named, { code: 5, message: /unable to find session profile/ })
      const naming = {
        policyName: "logins of a deleted profile",
        effect: "EFFECT_ALLOW",
        condition: `activity.params.session_profile_id == '${sessionProfileId}'`,
        notes: "",
      }
      const { headers } = await send("CREATE_POLICY_V3", naming)
      t.match(
        headers.get("X-Countersign-Policy-Warnings"),
        `there is no session profile id ${sessionProfileId}`,
      )
    })

    t.test("a faulty scope is refused with the fault's position", async (t) => {
      const http = new TurnkeyClient({ baseUrl: system.url }, new ApiKeyStamper(keysOf(root)))
      const misspelt = http.createSessionProfile({
        type: "ACTIVITY_TYPE_CREATE_SESSION_PROFILE",
        timestampMs: String(Date.now()),
        organizationId,
        parameters: { sessionProfileName: "misspelt", scope: "activity.actoin == 'SIGN'" },
      })
      await t.rejects(misspelt, {
        code: 3,
        message: /invalid session profile scope: .*field does not exist: actoin/,
      })
    })
  },
}
