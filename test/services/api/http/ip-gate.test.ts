import { create } from "@bufbuild/protobuf"
import t from "tap"
import { OrganizationDocumentSchema } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { clientAddress } from "../../../../services/common/client-address.ts"
import { isAdmitted } from "../../../../services/api/authentication/ip-allowlists.ts"
import { readIpAddress, readIpBlock } from "../../../../signer/core/organization/ip-block.ts"
import { ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { signBody } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const KEY = "02ab"

type List = { publicKey?: string; enabled?: boolean; blocks?: string[]; allowOnError?: boolean }

function lists(...ipAllowlists: List[]) {
  const stored = ipAllowlists.map(({ blocks = [], enabled = true, ...list }) => ({
    ...list,
    enabled,
    blocks: blocks.map((cidr) => ({ cidr })),
  }))
  return create(OrganizationDocumentSchema, { ipAllowlists: stored })
}

t.test("a request is admitted by the list that applies to its key", async (t) => {
  const admits = (address: string, ...listed: List[]) =>
    isAdmitted(lists(...listed), KEY, () => readIpAddress(address))
  const office = { blocks: ["192.0.2.0/24", "2001:db8::/48"] }
  const own = { publicKey: KEY, blocks: ["203.0.113.7/32"] }
  t.ok(admits("198.51.100.1"), "without a list everybody is let in")
  t.ok(admits("192.0.2.200", office))
  t.ok(admits("2001:db8::1", office))
  t.notOk(admits("192.0.3.0", office))
  t.notOk(admits("2001:db8:1::", office))
  t.notOk(admits("192.0.2.1", {}), "an empty list admits no address")
  t.ok(admits("198.51.100.1", { ...office, enabled: false }))
  t.ok(admits("203.0.113.7", office, own), "a key's own list")
  t.notOk(admits("192.0.2.1", office, own), "replaces the organization's list")
  t.ok(admits("192.0.2.1", office, { publicKey: KEY }), "unless it is empty")
  t.ok(admits("192.0.2.1", office, { ...own, enabled: false }), "or off")
  t.ok(admits("198.51.100.1", { ...office, enabled: false }, own), "and only while the organization's is on")
  t.ok(admits("198.51.100.1", own), "or there")
  t.ok(admits("192.0.2.1", office, { ...own, publicKey: "02cd" }), "another key's list is not asked")
})

t.test("a request of unknown address is admitted only if the list allows it", async (t) => {
  const admits = (...listed: List[]) => isAdmitted(lists(...listed), KEY, () => undefined)
  t.notOk(admits({ blocks: ["192.0.2.0/24"] }))
  t.ok(admits({ blocks: ["192.0.2.0/24"], allowOnError: true }))
  t.ok(admits())
})

t.test("X-Forwarded-For is trusted from trusted proxies only, from its end", async (t) => {
  const trusted = ["10.0.0.0/24", "2001:db8::1/128"].map((cidr) => readIpBlock(cidr)!)
  const from = (remoteAddress: string | undefined, forwarded?: string) =>
    clientAddress(
      {
        socket: { remoteAddress },
        headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
      },
      trusted,
    )
  const is = (text: string) => readIpAddress(text)
  t.same(from("192.0.2.1"), is("192.0.2.1"))
  t.same(from("::ffff:192.0.2.1"), is("192.0.2.1"), "as sockets for both families say it")
  t.same(from("fe80::1%eth0"), is("fe80::1"))
  t.same(from("192.0.2.1", "198.51.100.9"), is("192.0.2.1"), "a stranger's header counts for nothing")
  t.same(from("10.0.0.7", "198.51.100.9"), is("198.51.100.9"))
  t.same(from("2001:db8::1", " 198.51.100.9 "), is("198.51.100.9"))
  t.same(
    from("10.0.0.7", "192.0.2.1, 198.51.100.9, 10.0.0.8"),
    is("198.51.100.9"),
    "what the client wrote before it",
  )
  t.same(from("10.0.0.7", "10.0.0.9, 10.0.0.8"), is("10.0.0.9"), "a request of a proxy itself")
  t.same(from("10.0.0.7"), undefined, "a trusted proxy that says nothing")
  t.same(from("10.0.0.7", "192.0.2.1, unknown"), undefined)
  t.same(from("10.0.0.7", ""), undefined)
  t.same(from(undefined, "192.0.2.1"), undefined)
})

t.test("submits and queries are refused before the signer is asked", async (t) => {
  const key = makeKey()
  const alice = user("alice", key)
  const trustedProxies = [readIpBlock("127.0.0.1/32")!]
  const api = await startApi(t, { trustedProxies })
  const organization = {
    users: [alice],
    rootQuorum: { threshold: 1, userIds: [alice.userId] },
    ipAllowlists: [{ enabled: true, blocks: [{ cidr: "192.0.2.0/24" }] }],
  }
  await storeOrganization(api.sql, organization)
  const whoami = { organizationId: ORGANIZATION_ID }
  const ask = (forwarded: string) => api.post("query/whoami", whoami, key, { "x-forwarded-for": forwarded })
  const refusal = { status: 403, json: { code: 7, message: /IP allowlist/ } }
  t.match(await ask("192.0.2.5"), { status: 200 })
  t.match(await ask("192.0.3.5"), refusal)
  t.match(await ask("192.0.2.5, 192.0.3.5"), refusal, "the address it wrote itself does not help")
  const before = api.signer.orders.length
  const sign = () => api.post("submit/sign_raw_payload", signBody(), key, { "x-forwarded-for": "192.0.3.5" })
  t.match(await sign(), refusal)
  t.equal(api.signer.orders.length, before)
  const last = api.logged.at(-1)
  t.match(last, { reason: "IP_ADDRESS_NOT_ALLOWED" })
})

t.test("the operator switches off the lists of named organizations", async (t) => {
  const key = makeKey()
  const organization = { users: [user("alice", key)], ipAllowlists: [{ enabled: true }] }
  const ask = async (unenforced: string) => {
    const api = await startApi(t, { unenforcedAllowlists: new Set([unenforced]) })
    await storeOrganization(api.sql, organization)
    return api.post("query/whoami", { organizationId: ORGANIZATION_ID }, key)
  }
  t.match(await ask("0b0c0d0e-0000-4000-8000-00000000000a"), { status: 403 })
  t.match(await ask(ORGANIZATION_ID), { status: 200 })
})
