// simulate_policies: its outcome equals the signer's later decision.
import { createHash } from "node:crypto"
import { ethereumAccount, signParams, userParams } from "../../harness/api-client.ts"
import { newKey, type TestKey } from "../../harness/stamper.ts"
import type { Json } from "../../harness/system.ts"
import type { Sequence } from "./sequence.ts"

type Policy = Json & { outcome: string; expressions: (Json & { deciding: Json[]; warnings: Json[] })[] }

export const simulations: Sequence = {
  title: "policies are simulated without effect",
  run: async (t, api) => {
    const { send, submit, ask, query } = api
    const simulate = async (members: object) =>
      (await query("simulate_policies", members)) as Json & { policies: Policy[] }

    const keys = { dan: newKey(), eva: newKey() }
    const users = [userParams("dan", keys.dan), userParams("eva", keys.eva)]
    const { userIds } = await submit("CREATE_USERS_V3", { users })
    const [dan, eva] = userIds as string[]
    const wallet = { walletName: "First", accounts: [ethereumAccount(0)] }
    const { walletId, addresses } = await submit("CREATE_WALLET", wallet)
    const [address = ""] = addresses as string[]
    const signing = { type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters: signParams(address) }
    const byDan = { activity: signing, submitter: { userId: dan } }
    const draft = {
      policyName: "Dan signs with eva",
      effect: "EFFECT_ALLOW",
      condition: `activity.action == 'SIGN' && wallet.id == '${String(walletId)}' && wallet_account.address == '${address}'`,
      consensus: `approvers.any(u, u.id == '${dan}') && approvers.any(u, u.id == '${eva}')`,
    }

    t.test("the root quorum is allowed without policies, other users are denied", async (t) => {
      t.match(await simulate({ activity: signing }), { outcome: "OUTCOME_ALLOW", policies: [], voterIds: [] })
      t.match(await simulate(byDan), { outcome: "OUTCOME_DENY_IMPLICIT", reason: /No policies evaluated/ })
    })

    t.test("a draft is evaluated, with the deciding clauses, and nothing is stored", async (t) => {
      const alone = await simulate({ ...byDan, draftPolicies: [draft] })
      t.match(alone, { outcome: "OUTCOME_REQUIRES_CONSENSUS", voterIds: [eva] })
      const [{ expressions }] = alone.policies as [Policy]
      t.match(alone.policies, [
        { policyId: "", policyName: draft.policyName, outcome: "OUTCOME_REQUIRES_CONSENSUS" },
      ])
      t.match(expressions[0], { field: "condition", result: "true", warnings: [] })
      t.match(expressions[1], { field: "consensus", result: "false" })
      const text = `approvers.any(u, u.id == '${eva}')`
      t.match(expressions[1]?.deciding, [{ text, offset: draft.consensus.indexOf(text), result: "false" }])
      const both = await simulate({ ...byDan, draftPolicies: [draft], approvers: [{ userId: eva }] })
      t.match(both, { outcome: "OUTCOME_ALLOW", reason: "a policy allows it" })
      t.same(await query("list_policies"), { policies: [] })
    })

    t.test("a simulation predicts the signer's decision, and explains a recorded one", async (t) => {
      const { policyId } = await submit("CREATE_POLICY_V3", { ...draft, notes: "" })
      t.match(await simulate(byDan), { outcome: "OUTCOME_REQUIRES_CONSENSUS", policies: [{ policyId }] })
      const waiting = await send("SIGN_RAW_PAYLOAD_V2", signParams(address), { key: keys.dan })
      const { id, fingerprint, status } = waiting.json["activity"] as { [name: string]: string }
      t.equal(status, "ACTIVITY_STATUS_CONSENSUS_NEEDED")
      const explained = await simulate({ activityId: id })
      t.match(explained, { outcome: "OUTCOME_REQUIRES_CONSENSUS", voterIds: [eva] })
      t.match(explained.policies[0]?.expressions[1]?.deciding, [
        { result: "false", text: new RegExp(String(eva)) },
      ])
      await send("APPROVE_ACTIVITY", { fingerprint }, { key: keys.eva })
      t.match(await simulate({ activityId: id }), {
        outcome: "OUTCOME_ALLOW",
        policies: [{ outcome: "OUTCOME_ALLOW" }],
      })
      const stricter = { ...draft, policyId, condition: "false" }
      t.match(await simulate({ activityId: id, draftPolicies: [stricter] }), {
        outcome: "OUTCOME_DENY_IMPLICIT",
        policies: [{ policyId, outcome: "OUTCOME_DENY_IMPLICIT" }],
      })
      t.match(await simulate({ activityId: id, onlyDrafts: true }), { policies: [] })
    })

    t.test("transactions are read with the stored interfaces of their contracts and programs", async (t) => {
      const call = "02f86401018080825208945fbdb2315678afecb367f032d93f642f64180aa380b844a9059cbb"
      const paying = (amount: string) => ({
        signWith: address,
        type: "TRANSACTION_TYPE_ETHEREUM",
        unsignedTransaction: `${call}${"11".repeat(20).padStart(64, "0")}${amount.padStart(64, "0")}c0`,
      })
      const inputs = [
        { name: "to", type: "address" },
        { name: "amount", type: "uint256" },
      ]
      await submit("CREATE_SMART_CONTRACT_INTERFACE", {
        smartContractAddress: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
        smartContractInterface: JSON.stringify([{ name: "transfer", inputs }]),
        type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
        label: "token",
      })
      const small = {
        ...draft,
        condition: `eth.tx.from == '${address}' && eth.tx.contract_call_args['amount'] <= 5`,
        consensus: "",
      }
      const simulated = (amount: string) =>
        simulate({
          activity: { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", parameters: paying(amount) },
          submitter: { userId: dan },
          draftPolicies: [small],
          onlyDrafts: true,
        })
      t.match(await simulated("5"), { outcome: "OUTCOME_ALLOW" })
      t.match(await simulated("6"), { outcome: "OUTCOME_DENY_IMPLICIT" })
      const { status, json } = await ask("simulate_policies", {
        activity: {
          type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
          parameters: { ...paying("5"), unsignedTransaction: "c0" },
        },
        draftPolicies: [small],
      })
      t.equal(status, 400)
      t.match(json, { message: /failed to parse transaction/ })
    })

    t.test("time policies are evaluated at the requested time", async (t) => {
      const weekdays = { ...draft, consensus: "", time: "CronSpan('0 8 * * 1-5', '10h', 'UTC')" }
      const at = (time: string) => simulate({ ...byDan, time, draftPolicies: [weekdays], onlyDrafts: true })
      t.match(await at("2026-01-05T09:00:00Z"), { outcome: "OUTCOME_ALLOW" })
      t.match(await at("2026-01-04T09:00:00Z"), {
        outcome: "OUTCOME_DENY_IMPLICIT",
        policies: [{ outcome: "OUTCOME_TIME_INACTIVE" }],
      })
    })

    t.test("faults and lints of a draft are reported with their positions", async (t) => {
      const drafts = [
        { ...draft, policyName: "Misspelt", condition: "eth.tx.gasPrice > 1" },
        { ...draft, policyName: "Odd", condition: "activity.action == 'SIGNS'" },
        { ...draft, policyName: "Elsewhere", effect: "EFFECT_DENY", condition: "private_key.id == 'x'" },
      ]
      const { policies } = await simulate({ ...byDan, draftPolicies: drafts, onlyDrafts: true })
      t.match(policies[0], { outcome: "OUTCOME_ERROR" })
      t.match(policies[0]?.expressions[0], { result: "invalid", fault: { offset: 7, sentence: /gas_price/ } })
      t.match(policies[1]?.expressions[0]?.warnings, [{ sentence: /there is no action SIGNS/ }])
      t.match(policies[2]?.expressions[0], { result: "error", deciding: [{ sentence: /private_key/ }] })
    })

    t.test("credentials are selected by type; wallets and keys are read as stored", async (t) => {
      const passkeys = { ...draft, consensus: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_LOGIN')" }
      const by = (credentialType: string) =>
        simulate({
          activity: signing,
          submitter: { userId: dan, credentialType },
          draftPolicies: [passkeys],
          onlyDrafts: true,
        })
      t.match(await by("CREDENTIAL_TYPE_LOGIN"), { outcome: "OUTCOME_ALLOW" })
      t.match(await by("CREDENTIAL_TYPE_API_KEY_P256"), { outcome: "OUTCOME_DENY_IMPLICIT" })
      const leaving = {
        type: "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT",
        parameters: { address, targetPublicKey: `04${"ab".repeat(64)}` },
      }
      const condition =
        "wallet_account.path_indexes[0] == 44 && wallet_account.path_hardened[0] && !wallet.exported"
      const drafts = [{ ...draft, condition, consensus: "" }]
      const exporting = {
        activity: leaving,
        submitter: { userId: dan },
        draftPolicies: drafts,
        onlyDrafts: true,
      }
      t.match(await simulate(exporting), { outcome: "OUTCOME_ALLOW" })
    })

    t.test("a vote whose key was deleted no longer counts for a recorded activity that waits", async (t) => {
      const both = {
        policyName: "Two sign",
        effect: "EFFECT_ALLOW",
        consensus: "approvers.count() >= 2",
        notes: "",
      }
      await submit("CREATE_POLICY_V3", both)
      const proposals: { status: string; key: TestKey }[] = [
        { status: "CONSENSUS_NEEDED", key: newKey() },
        { status: "AUTHENTICATORS_NEEDED", key: newKey() },
      ]
      for (const { status, key } of proposals) {
        if (status === "AUTHENTICATORS_NEEDED") {
          const asksForSession = [{ any: [{ type: "AUTHENTICATION_TYPE_SESSION" }] }]
          const made = { mfaPolicyName: "Session", condition: "true", order: 0, userId: dan }
          const parameters = { ...made, requiredAuthenticationMethods: asksForSession }
          await submit("CREATE_MFA_POLICY", parameters)
        }
        const apiKey = { apiKeyName: status, publicKey: key.publicKeyHex, curveType: "API_KEY_CURVE_P256" }
        const { apiKeyIds } = await submit("CREATE_API_KEYS_V2", { userId: dan, apiKeys: [apiKey] })
        const payload = createHash("sha256").update(status).digest("hex")
        const waiting = await send("SIGN_RAW_PAYLOAD_V2", signParams(address, payload), { key })
        const activity = waiting.json["activity"] as { id: string; status: string }
        t.equal(activity.status, `ACTIVITY_STATUS_${status}`)
        const byEva = {
          activityId: activity.id,
          draftPolicies: [{ ...both, consensus: `approvers.count() >= 1` }],
        }
        t.match(await simulate(byEva), { outcome: "OUTCOME_ALLOW" }, `${status}: the submission counts`)
        await submit("DELETE_API_KEYS", { userId: dan, apiKeyIds })
        t.match(await simulate(byEva), { outcome: "OUTCOME_DENY_IMPLICIT" }, `${status}: it no longer counts`)
      }
    })

    t.test("contradictory requests are refused, naming the member", async (t) => {
      const nobody = "00000000-0000-4000-8000-000000000000"
      const refused = async (members: object, status: 400 | 404, sentence: RegExp) => {
        const error = await api.refused("simulate_policies", members, [status, status === 400 ? 3 : 5])
        t.match(error, { message: sentence })
      }
      await refused({}, 400, /either activity or activityId/)
      await refused({ activity: signing, activityId: nobody }, 400, /either activity or activityId/)
      await refused({ activityId: nobody, submitter: { userId: dan } }, 400, /not allowed with activityId/)
      await refused({ activityId: nobody }, 404, /no activity/)
      await refused({ activity: { ...signing, type: "ACTIVITY_TYPE_NONE" } }, 400, /unknown activity type/)
      await refused({ activity: { ...signing, parameters: {} } }, 400, /activity\.parameters\.signWith/)
      await refused({ ...byDan, submitter: { userId: nobody } }, 400, /has no user/)
      await refused(
        { ...byDan, approvers: [{ userId: eva, credentialType: "X" }] },
        400,
        /no credential of type X/,
      )
      await refused({ ...byDan, time: "yesterday" }, 400, /time must be/)
      const typed = { ...signParams(address, "{}"), encoding: "PAYLOAD_ENCODING_EIP712" }
      const reading = { ...draft, condition: "eth.eip_712.primary_type == 'Permit'" }
      await refused(
        { ...byDan, activity: { ...signing, parameters: typed }, draftPolicies: [reading] },
        400,
        /invalid payload encoding/,
      )
      const stranger = { ...signing, parameters: signParams(`0x${"11".repeat(20)}`) }
      await refused({ ...byDan, activity: stranger }, 404, /unable to find/)
      const stamped = await ask("simulate_policies", { activity: signing }, { key: newKey() })
      t.equal(stamped.status, 401)
    })
  },
}
