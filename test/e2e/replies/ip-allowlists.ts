// IP allowlists, behind a trusted proxy that the test plays.
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import { TurnkeyClient } from "@turnkey/http"
import { userParams } from "../../harness/api-client.ts"
import { newKey } from "../../harness/stamper.ts"
import { subOrganization } from "../../harness/sub-organization.ts"
import { type Json, privateKeyHex } from "../../harness/system.ts"
import type { Sequence } from "./sequence.ts"

const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
const OFFICE = from("192.0.2.7")
const ELSEWHERE = from("198.51.100.9")

export const ipAllowlists: Sequence = {
  title: "IP allowlists, over HTTP:",
  run: async (t, api) => {
    const { system, organizationId, root } = api
    const { ask, refused } = api
    const send = (type: string, parameters: object) => api.send(type, parameters, OFFICE)
    const submit = (type: string, parameters: object) => api.submit(type, parameters, OFFICE)
    const shown = async (parameters: object = {}) =>
      (await api.query("get_ip_allowlist", parameters, OFFICE))["allowlist"] as Json

    t.test("are set, returned and removed", async (t) => {
      const none = { organizationId, rules: [], enabled: false, onEvaluationError: "DENY" }
      t.same(await shown(), none)
      const rules = [{ cidr: "192.0.2.99/24", label: "office" }, { cidr: "2001:DB8::/48" }]
      t.same(await submit("SET_IP_ALLOWLIST", { enabled: true, rules }), {})
      t.match(await shown(), {
        ...none,
        enabled: true,
        rules: [{ cidr: "192.0.2.0/24", label: "office" }, { cidr: "2001:db8::/48" }],
      })
      // The Go, Rust and Python clients read createdAt as text: their schema has a string here, no timestamp object.
      const [rule] = (await shown())["rules"] as { createdAt: string }[]
      const ageMs = Date.now() - Number(rule?.createdAt)
      t.type(rule?.createdAt, "string")
      t.ok(ageMs >= 0 && ageMs < 3_600_000, `set just now, not ${rule?.createdAt}`)
      const publicKey = root.publicKeyHex
      await submit("SET_IP_ALLOWLIST", { publicKey, rules: [], onEvaluationError: "ALLOW" })
      t.match(await shown({ publicKey }), { publicKey, rules: [], enabled: true, onEvaluationError: "ALLOW" })
      t.same(await submit("REMOVE_IP_ALLOWLIST", { publicKey }), {})
      t.match(await shown({ publicKey }), { publicKey, rules: [], enabled: false })
    })

    t.test("apply to the next request, whatever its operation", async (t) => {
      t.match(await ask("whoami", {}, OFFICE), { status: 200 })
      t.match(await ask("whoami", {}, from("2001:db8::1")), { status: 200 })
      t.match(await refused("whoami", {}, [403, 7], ELSEWHERE), {
        turnkeyErrorCode: "REQUEST_NOT_AUTHORIZED",
      })
      const users = { users: [userParams("intruder", newKey())] }
      await refused("CREATE_USERS_V4", users, [403, 7], ELSEWHERE)
      t.match(
        await ask("whoami", {}, from("192.0.2.7, 198.51.100.9")),
        { status: 403 },
        "its own word counts for nothing",
      )
      t.match(await ask("list_users", {}, OFFICE), { json: { users: { length: 1 } } })
    })

    t.test(
      "apply to a parent's users in every organization, and to no user of a sub-organization",
      async (t) => {
        const key = newKey()
        const born = await submit("CREATE_SUB_ORGANIZATION_V7", subOrganization([{ name: "root", key }]))
        const below = { organizationId: String(born["subOrganizationId"]) }
        t.match(await ask("get_organization", below, OFFICE), { status: 200 })
        t.match(await ask("get_organization", below, ELSEWHERE), { status: 403 })
        t.match(await ask("get_organization", below, { ...ELSEWHERE, key }), { status: 200 })
      },
    )

    t.test("refuse published clients with an error they can read", async (t) => {
      const direct = new TurnkeyClient(
        { baseUrl: system.url },
        new ApiKeyStamper({ apiPublicKey: root.publicKeyHex, apiPrivateKey: privateKeyHex(root) }),
      )
      await t.rejects(direct.getWhoami({ organizationId }), { code: 7, message: /IP allowlist/ })
      const removed = { publicKey: null }
      t.match(await send("REMOVE_IP_ALLOWLIST", removed), { status: 200 })
      t.match(await direct.getWhoami({ organizationId }), { organizationId })
      const wide = direct.setIpAllowlist({
        type: "ACTIVITY_TYPE_SET_IP_ALLOWLIST",
        timestampMs: String(Date.now()),
        organizationId,
        parameters: { rules: [{ cidr: "10.0.0.0/8" }], enabled: true, onEvaluationError: "ALLOW" },
      })
      await t.rejects(wide, { code: 3, message: /wider than \/20/ })
    })
  },
}
