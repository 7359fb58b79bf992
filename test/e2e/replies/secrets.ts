// Secrets and the states of time expressions.
import { userParams } from "../../harness/api-client.ts"
import { Recipient, sealSecret, SUITE } from "../../harness/secrets.ts"
import { newKey } from "../../harness/stamper.ts"
import type { Json } from "../../harness/system.ts"
import type { Sequence } from "./sequence.ts"

export const secrets: Sequence = {
  title: "secrets and time expressions, over HTTP:",
  run: async (t, { system, send, submit, query, refused, organizationId }) => {
    const pins = await system.send("/public/v1/pins", {})
    const by = { organizationId, signerPublicKey: String(pins.json["signerPublicKey"]).slice(130) }
    const sealed = async (
      ...contents: { plaintext: string; name?: string; properties?: { [key: string]: string } }[]
    ) => {
      const made = await submit("INIT_IMPORT_SECRETS", {
        encryptionSuite: SUITE,
        numSecrets: contents.length,
      })
      const targets = made["enclaveTargetMessages"] as string[]
      return {
        secrets: await Promise.all(contents.map((one, index) => sealSecret(one, targets[index] ?? "", by))),
      }
    }

    t.test("secrets are imported, listed, exported and deleted in the published shapes", async (t) => {
      t.same(await query("list_secrets"), { secrets: [] })
      const card = { plaintext: "the content of the card", name: "card", properties: { kind: "card" } }
      const plain = { plaintext: "the content without a name" }
      const { secretIds } = await submit("IMPORT_SECRETS", await sealed(card, plain))
      const [first = "", second = ""] = secretIds as string[]
      const { secrets } = await query("list_secrets")
      t.match(secrets, [
        { secretId: second, staticProperties: [] },
        { secretId: first, name: "card", staticProperties: [{ key: "kind", value: "card" }] },
      ])
      t.notOk("name" in (secrets as Json[])[0]!, "a secret without name has no such member")
      const createdAtMs = Number((secrets as Json[])[0]!["createdAtUnixMs"])
      t.ok(createdAtMs <= Date.now() && createdAtMs > Date.now() - 600_000)
      const page = { paginationOptions: { limit: "1", after: second } }
      t.match(await query("list_secrets", page), { secrets: [{ secretId: first }] })

      const recipient = new Recipient()
      const requestContext = [{ key: "ticket", value: "7" }]
      const asked = { secrets: [{ ...recipient.asks(first), requestContext }, recipient.asks(second)] }
      const { secretPayloads } = await submit("EXPORT_SECRETS", asked)
      const opened = await Promise.all(
        (secretPayloads as string[]).map((payload) => recipient.open(payload, by)),
      )
      t.same(opened, [card.plaintext, plain.plaintext])

      t.same(await submit("DELETE_SECRETS", { secretIds: [first] }), { secretIds: [first] })
      t.match(await query("list_secrets"), { secrets: [{ secretId: second }] })
      await refused("EXPORT_SECRETS", asked, [404, 5])
      const unknown = {
        ...recipient.asks(second),
        encryptionSuite: "TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V2",
      }
      await refused("EXPORT_SECRETS", { secrets: [unknown] }, [400, 3])
    })

    t.test("a simulation reads each secret's properties, as the signer does", async (t) => {
      const key = newKey()
      const users = [userParams("dan", key)]
      const { userIds } = await submit("CREATE_USERS_V3", { users })
      const [userId] = userIds as string[]
      const content = (kind: string) => ({ plaintext: `the content of ${kind}`, properties: { kind } })
      const { secretIds } = await submit("IMPORT_SECRETS", await sealed(content("one"), content("two")))
      const policy = {
        policyName: "dan exports one",
        effect: "EFFECT_ALLOW",
        condition: "secret.static_properties['kind'] == 'one'",
        consensus: `approvers.any(u, u.id == '${userId}')`,
      }
      const [one = "", two = ""] = secretIds as string[]
      const recipient = new Recipient()
      const asks = (...ids: string[]) => ({ secrets: ids.map((id) => recipient.asks(id)) })
      const simulate = async (...ids: string[]) => {
        const activity = { type: "ACTIVITY_TYPE_EXPORT_SECRETS", parameters: asks(...ids) }
        const asked = { activity, submitter: { userId }, draftPolicies: [policy] }
        return query("simulate_policies", asked)
      }
      t.match(await simulate(one), { outcome: "OUTCOME_ALLOW" })
      t.match(await simulate(one, two), { outcome: "OUTCOME_DENY_IMPLICIT", payloadIndex: 1 })
      await submit("CREATE_POLICY_V3", { ...policy, notes: "" })
      t.equal((await send("EXPORT_SECRETS", asks(one), { key })).status, 200)
      await refused("EXPORT_SECRETS", asks(one, two), [403, 7], { key })
      await submit("DELETE_SECRETS", { secretIds })
    })

    t.test("get_active_policies evaluates the time expression of every policy", async (t) => {
      const before = Date.now()
      const shown = await query("get_active_policies")
      const now = Number(shown["evaluatedAtMs"])
      t.ok(before <= now && now <= Date.now())
      const policies = [
        { policyName: "always", time: undefined, active: true },
        { policyName: "until 2100", time: "time.now < Timestamp('2100-01-01T00:00:00Z')", active: true },
        { policyName: "from 2100", time: "time.now >= Timestamp('2100-01-01T00:00:00Z')", active: false },
      ].map(({ policyName, time, active }) => {
        const policy = { policyName, effect: "EFFECT_DENY", condition: "wallet.label == 'none'" }
        return { policy: time === undefined ? policy : { ...policy, time }, time, active }
      })
      const { policyIds } = await submit("CREATE_POLICIES", {
        policies: policies.map(({ policy }) => policy),
      })
      const { statuses } = await query("get_active_policies")
      const expected = policies.map(({ time, active }, index) => {
        const status = { organizationId, policyId: (policyIds as string[])[index], active }
        return time === undefined ? status : { ...status, timeExpr: time }
      })
      t.same((statuses as Json[]).slice(-3), expected)
    })
  },
}
