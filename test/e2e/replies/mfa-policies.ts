// MFA policies, satisfied by published clients.
import { Turnkey } from "@turnkey/sdk-server"
import { apiKey, signParams } from "../../harness/api-client.ts"
import { newKey, type TestKey } from "../../harness/stamper.ts"
import { privateKeyHex } from "../../harness/system.ts"
import { wallet } from "../wallets.ts"
import type { Sequence } from "./sequence.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

export const mfaPolicies: Sequence = {
  title: "MFA policies, over HTTP:",
  run: async (t, api) => {
    const { system, submit, query, refused, organizationId, root, rootUserId: userId } = api
    const address = await wallet(system, api, "First")
    const phone = newKey()
    const added = { userId, apiKeys: [apiKey(phone, "phone")] }
    const { apiKeyIds } = await submit("CREATE_API_KEYS_V2", added)
    const [phoneId] = apiKeyIds as [string]
    const made = {
      userId,
      mfaPolicyName: "signatures",
      condition: "activity.action == 'SIGN'",
      requiredAuthenticationMethods: [
        {
          any: [
            { type: "AUTHENTICATION_TYPE_API_KEY", id: phoneId },
            { type: "AUTHENTICATION_TYPE_PASSKEY" },
          ],
        },
      ],
      order: 3,
      notes: "the phone, or a passkey",
    }

    t.test("replies have the documented shape", async (t) => {
      const { mfaPolicyId } = await submit("CREATE_MFA_POLICY", made)
      const { mfaPolicy } = await query("get_mfa_policy", { userId, mfaPolicyId })
      const { userId: _owner, ...shown } = made
      t.match(mfaPolicy, { mfaPolicyId, ...shown })
      const first = { ...made, mfaPolicyName: "logins", order: 1, condition: "false" }
      const { mfaPolicyId: other } = await submit("CREATE_MFA_POLICY", first)
      const { mfaPolicies } = await query("get_mfa_policies", { userId })
      t.match(mfaPolicies, [{ mfaPolicyId: other }, mfaPolicy], "in their order")
      t.match(await query("get_user", { userId }), { user: { mfaPolicies } })
      const update = { userId, mfaPolicyId: other, requiredAuthenticationMethods: [], order: 9 }
      t.same(await submit("UPDATE_MFA_POLICY", update), { mfaPolicyId: other })
      t.match(await query("get_mfa_policies", { userId }), { mfaPolicies: [{ mfaPolicyId }, { order: 9 }] })
      const gone = { userId, mfaPolicyId: other }
      t.same(await submit("DELETE_MFA_POLICY", gone), { mfaPolicyId: other })
      t.match(await refused("get_mfa_policy", gone, [404, 5]), { message: /unable to find MFA policy/ })
      await refused("get_mfa_policies", { userId: NIL }, [404, 5])
    })

    t.test(
      "a published client learns which factors are missing, and another credential completes the activity",
      async (t) => {
        const clientOf = (key: TestKey) =>
          new Turnkey({
            apiBaseUrl: system.url,
            apiPublicKey: key.publicKeyHex,
            apiPrivateKey: privateKeyHex(key),
            defaultOrganizationId: organizationId,
          }).apiClient()
        const request = signParams(address) as unknown as Parameters<
          ReturnType<typeof clientOf>["signRawPayload"]
        >[0]
        const { activity } = await clientOf(root).signRawPayload(request)
        t.match(activity, {
          status: "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED",
          result: {},
          canApprove: true,
          canReject: false,
        })
        const { requiredAuthenticationMethods: requiredMethods } = made
        const missing = { userId, satisfied: false, satisfiedMethods: [], requiredMethods }
        const asked = { activityId: activity.id }
        t.match(await query("get_mfa_status", asked), { mfaStatuses: [missing] })
        t.match(await query("get_mfa_status", { ...asked, userId: NIL }), { mfaStatuses: [] })
        const { activity: done } = await clientOf(phone).approveActivity({
          fingerprint: activity.fingerprint,
        })
        t.match(done, { id: activity.id, status: "ACTIVITY_STATUS_COMPLETED", canApprove: false })
        t.ok(done.result.signRawPayloadResult?.r)
        const shown = [{ type: "AUTHENTICATION_TYPE_API_KEY", id: phoneId }]
        const met = [{ userId, satisfied: true, satisfiedMethods: shown }]
        t.match(await query("get_mfa_status", { ...asked, userId }), { mfaStatuses: met })
        t.match(await clientOf(phone).signRawPayload(request), {
          activity: { status: "ACTIVITY_STATUS_COMPLETED" },
        })
      },
    )

    t.test("refusals have their codes", async (t) => {
      const codes = [{ any: [{ type: "AUTHENTICATION_TYPE_EMAIL_OTP" }] }]
      const parameters = { ...made, mfaPolicyName: "codes", requiredAuthenticationMethods: codes }
      t.match(await refused("CREATE_MFA_POLICY", parameters, [403, 7]), {
        message: /^OTP disallowed: one-time codes by mail are off/,
      })
      const misspelt = { ...made, mfaPolicyName: "x", condition: "activity.actoin == 'SIGN'" }
      t.match(await refused("CREATE_MFA_POLICY", misspelt, [400, 3]), {
        message: "invalid mfa policy condition: Expression cannot be evaluated: field does not exist: actoin",
      })
    })
  },
}
