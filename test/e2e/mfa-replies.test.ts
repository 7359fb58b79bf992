// MFA policies through the whole system: created over HTTP, satisfied by published clients.
import { Turnkey } from "@turnkey/sdk-server"
import t from "tap"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { apiKey, signParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { type Json, privateKeyHex } from "../harness/system.ts"
import { wallet } from "./wallets.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

t.test("MFA policies, over HTTP:", async (t) => {
  const system = await sharedSystem()
  const acme = await system.createOrganization()
  const { organizationId, root, rootUserId: userId } = acme
  const address = await wallet(system, acme, "First")
  const submit = async (path: string, type: string, parameters: object): Promise<Json> => {
    const { json } = await system.post(`submit/${path}`, system.body(type, organizationId, parameters), root)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const query = async (path: string, parameters: object): Promise<Json> => {
    const { status, json } = await system.query(path, { organizationId, ...parameters }, root)
    t.equal(status, 200, `${path} answers`)
    return requireQueryReply(path, json)
  }
  const phone = newKey()
  const added = { userId, apiKeys: [apiKey(phone, "phone")] }
  const { apiKeyIds } = await submit("create_api_keys", "CREATE_API_KEYS_V2", added)
  const [phoneId] = apiKeyIds as [string]
  const made = {
    userId,
    mfaPolicyName: "signatures",
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: [
      {
        any: [{ type: "AUTHENTICATION_TYPE_API_KEY", id: phoneId }, { type: "AUTHENTICATION_TYPE_PASSKEY" }],
      },
    ],
    order: 3,
    notes: "the phone, or a passkey",
  }

  t.test("replies have the documented shape", async (t) => {
    const { mfaPolicyId } = await submit("create_mfa_policy", "CREATE_MFA_POLICY", made)
    const { mfaPolicy } = await query("get_mfa_policy", { userId, mfaPolicyId })
    const { userId: _owner, ...shown } = made
    t.match(mfaPolicy, { mfaPolicyId, ...shown })
    const first = { ...made, mfaPolicyName: "logins", order: 1, condition: "false" }
    const { mfaPolicyId: other } = await submit("create_mfa_policy", "CREATE_MFA_POLICY", first)
    const { mfaPolicies } = await query("get_mfa_policies", { userId })
    t.match(mfaPolicies, [{ mfaPolicyId: other }, mfaPolicy], "in their order")
    t.match(await query("get_user", { userId }), { user: { mfaPolicies } })
    const update = { userId, mfaPolicyId: other, requiredAuthenticationMethods: [], order: 9 }
    t.same(await submit("update_mfa_policy", "UPDATE_MFA_POLICY", update), { mfaPolicyId: other })
    t.match(await query("get_mfa_policies", { userId }), { mfaPolicies: [{ mfaPolicyId }, { order: 9 }] })
    const gone = { userId, mfaPolicyId: other }
    t.same(await submit("delete_mfa_policy", "DELETE_MFA_POLICY", gone), { mfaPolicyId: other })
    const reply = await system.query("get_mfa_policy", { organizationId, ...gone }, root)
    t.match(requireError(reply.json, 5), { message: /unable to find MFA policy/ })
    const nobody = await system.query("get_mfa_policies", { organizationId, userId: NIL }, root)
    t.equal(nobody.status, 404)
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
      const { activity: done } = await clientOf(phone).approveActivity({ fingerprint: activity.fingerprint })
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
    const send = (parameters: object) =>
      system.post(
        "submit/create_mfa_policy",
        system.body("CREATE_MFA_POLICY", organizationId, { ...made, ...parameters }),
        root,
      )
    const codes = [{ any: [{ type: "AUTHENTICATION_TYPE_EMAIL_OTP" }] }]
    const { status, json } = await send({ mfaPolicyName: "codes", requiredAuthenticationMethods: codes })
    t.equal(status, 403)
    t.match(requireError(json, 7), { message: /^OTP disallowed: one-time codes by mail are off/ })
    const misspelt = await send({ mfaPolicyName: "x", condition: "activity.actoin == 'SIGN'" })
    t.match(requireError(misspelt.json, 3), {
      message: "invalid mfa policy condition: Expression cannot be evaluated: field does not exist: actoin",
    })
  })
})
