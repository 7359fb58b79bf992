// IP allowlists that would lock out their own organization, over HTTP, behind a trusted proxy that the test plays.
import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import { TurnkeyClient } from "@turnkey/http"
import t from "tap"
import { requireError } from "../contract/replies.ts"
import { userParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { fingerprintOf, newKey, type TestKey } from "../harness/stamper.ts"
import { privateKeyHex, System } from "../harness/system.ts"

const OFFICE = "192.0.2.7"
const ELSEWHERE = "198.51.100.9"
const office = { rules: [{ cidr: "192.0.2.0/24" }] }

type Actor = { organizationId: string; root: TestKey }

function actsFor(system: System, { organizationId, root }: Actor) {
  const post = (path: string, body: string, address: string, key = root) =>
    system.post(path, body, key, { "x-forwarded-for": address })
  return {
    post,
    submit: (type: string, parameters: object, address: string, key = root) =>
      post(`submit/${type.toLowerCase()}`, system.body(type, organizationId, parameters), address, key),
    whoami: (address: string, key = root) =>
      post("query/whoami", JSON.stringify({ organizationId }), address, key),
  }
}

t.test("an IP allowlist does not lock its organization out:", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.start(url, { COUNTERSIGN_API_TRUSTED_PROXIES: "127.0.0.1" })
  t.teardown(() => system.stop())

  t.test(
    "a list without its caller's own address is refused unless the body says that it is meant",
    async (t) => {
      const acme = await system.createOrganization()
      const { submit, whoami } = actsFor(system, acme)
      const refused = await submit("SET_IP_ALLOWLIST", office, ELSEWHERE)
      t.equal(refused.status, 400)
      const sentence = /198\.51\.100\.9: add 198\.51\.100\.9\/32, or set excludeCaller/
      t.match(requireError(refused.json, 3), { turnkeyErrorCode: "REQUEST_INVALID", message: sentence })
      t.match(await submit("SET_IP_ALLOWLIST", { rules: [] }, OFFICE), { status: 400 }, "an empty list")
      t.match(await whoami(ELSEWHERE), { status: 200 }, "nothing was set")
      t.match(await submit("SET_IP_ALLOWLIST", { ...office, enabled: false }, ELSEWHERE), { status: 200 })
      t.match(await submit("SET_IP_ALLOWLIST", office, OFFICE), { status: 200 }, "the unaltered twin")
      const publicKey = acme.root.publicKeyHex
      const own = { publicKey, rules: [{ cidr: "203.0.113.7/32" }] }
      t.match(
        await submit("SET_IP_ALLOWLIST", own, OFFICE),
        { status: 400 },
        "a list of the caller's own key",
      )
      t.match(await submit("SET_IP_ALLOWLIST", { ...own, excludeCaller: true }, OFFICE), { status: 200 })
      t.match(await whoami(OFFICE), { status: 403 })
      const invalid = { rules: [{ cidr: "192.0.2.0" }] }
      const unread = await submit("SET_IP_ALLOWLIST", invalid, "203.0.113.7")
      t.match(requireError(unread.json, 3), { message: /CIDR notation/ }, "the signer's reason comes first")
    },
  )

  t.test("members of the root quorum remove a list from any address, other users do not", async (t) => {
    const acme = await system.createOrganization()
    const { submit, post, whoami } = actsFor(system, acme)
    const [ann, bob] = [newKey(), newKey()]
    const users = { users: [userParams("ann", ann), userParams("bob", bob)] }
    const created = await post(
      "submit/create_users",
      system.body("CREATE_USERS_V4", acme.organizationId, users),
      OFFICE,
    )
    const ids = JSON.stringify(created.json).match(/"userIds":\["([0-9a-f-]+)","([0-9a-f-]+)"\]/)
    const rootUserId = String((await whoami(OFFICE)).json["userId"])
    const quorum = { threshold: 2, userIds: [rootUserId, ids?.[1]] }
    t.match(await submit("UPDATE_ROOT_QUORUM", quorum, OFFICE), { status: 200 })
    const list = system.body("SET_IP_ALLOWLIST", acme.organizationId, office)
    t.match(await post("submit/set_ip_allowlist", list, OFFICE), { status: 200 })
    const vote = { fingerprint: `sha256:${fingerprintOf(list)}` }
    t.match(await submit("APPROVE_ACTIVITY", vote, OFFICE, ann), { status: 200 })

    t.match(await whoami(ELSEWHERE), { status: 403 })
    t.match(
      await submit("REMOVE_IP_ALLOWLIST", {}, ELSEWHERE, bob),
      { status: 403 },
      "no member of the quorum",
    )
    t.match(await submit("CREATE_USER_TAG", { userTagName: "x", userIds: [] }, ELSEWHERE), { status: 403 })
    const other = system.body("UPDATE_ORGANIZATION_NAME", acme.organizationId, { organizationName: "other" })
    t.match(await post("submit/update_organization_name", other, OFFICE), { status: 200 })
    const otherVote = { fingerprint: `sha256:${fingerprintOf(other)}` }
    t.match(await submit("APPROVE_ACTIVITY", otherVote, ELSEWHERE, ann), { status: 403 }, "another activity")

    const removal = system.body("REMOVE_IP_ALLOWLIST", acme.organizationId, {})
    t.match(await post("submit/remove_ip_allowlist", removal, ELSEWHERE), { status: 200 })
    t.match(await whoami(ELSEWHERE), { status: 403 }, "one of two votes removes nothing")
    const approval = { fingerprint: `sha256:${fingerprintOf(removal)}` }
    t.match(await submit("APPROVE_ACTIVITY", approval, ELSEWHERE, bob), { status: 403 })
    t.match(await submit("APPROVE_ACTIVITY", approval, ELSEWHERE, ann), { status: 200 })
    t.match(await whoami(ELSEWHERE), { status: 200 })
  })

  t.test(
    "published clients set lists from an address on them, and read why another is refused",
    async (t) => {
      const { organizationId, root } = await system.createOrganization()
      const { submit } = actsFor(system, { organizationId, root })
      const client = new TurnkeyClient(
        { baseUrl: system.url },
        new ApiKeyStamper({ apiPublicKey: root.publicKeyHex, apiPrivateKey: privateKeyHex(root) }),
      )
      const set = (onEvaluationError: "ALLOW" | "DENY") =>
        client.setIpAllowlist({
          type: "ACTIVITY_TYPE_SET_IP_ALLOWLIST",
          timestampMs: String(Date.now()),
          organizationId,
          parameters: { ...office, enabled: true, onEvaluationError },
        })
      await t.rejects(set("DENY"), { code: 3, message: /address is unknown here/ })
      t.match(await set("ALLOW"), { activity: { status: "ACTIVITY_STATUS_COMPLETED" } })
      t.match(await submit("REMOVE_IP_ALLOWLIST", {}, ELSEWHERE), { status: 200 })
    },
  )
})
