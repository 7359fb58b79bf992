import t, { type Test } from "tap"
import type { RefusalName } from "../../../../../signer/core/refusal.ts"
import { refusedAt, settled } from "../../../../contract/refused.ts"
import { documentOf } from "../../../../harness/document.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { child } from "../../../../harness/sub-organization.ts"

type Fixture = Awaited<ReturnType<typeof settled>>

const SET = "SET_IP_ALLOWLIST"
const REMOVE = "REMOVE_IP_ALLOWLIST"
const RULES = "parameters.rules"

function listsOf({ client, organizationId }: Fixture) {
  return documentOf(client, organizationId).ipAllowlists.map(
    ({ publicKey, enabled, allowOnError, blocks }) => ({
      publicKey,
      enabled,
      allowOnError,
      blocks: blocks.map(({ cidr, label }) => (label === "" ? cidr : `${cidr} ${label}`)),
    }),
  )
}

function rules(...cidrs: string[]) {
  return { rules: cidrs.map((cidr) => ({ cidr })) }
}

function refusals(t: Test, { client, root, organizationId }: Fixture) {
  return (code: RefusalName, type: string, parameters: object, field?: string) =>
    refusedAt(t, client, root, [type, organizationId, parameters], code, field)
}

t.test("set_ip_allowlist replaces the list, and stores each block once in canonical form", async (t) => {
  const fixture = await settled(t)
  const { submit } = fixture
  const labelled = [
    { cidr: "192.0.2.77/24", label: "office" },
    { cidr: "192.0.2.0/24", label: "the same" },
    { cidr: "2001:DB8:0::/48" },
  ]
  await submit(SET, { enabled: true, rules: labelled, onEvaluationError: "ALLOW" })
  const blocks = ["192.0.2.0/24 office", "2001:db8::/48"]
  t.same(listsOf(fixture), [{ publicKey: "", enabled: true, allowOnError: true, blocks }])
  await submit(SET, { enabled: false, ...rules("198.51.100.1/32") })
  const replaced = { publicKey: "", enabled: false, allowOnError: false, blocks: ["198.51.100.1/32"] }
  t.same(listsOf(fixture), [replaced])
  await submit(SET, {})
  t.same(
    listsOf(fixture),
    [{ ...replaced, enabled: true, blocks: [] }],
    "absent members have the strict value",
  )
})

t.test("an API key has its own list, which remove_ip_allowlist removes", async (t) => {
  const fixture = await settled(t)
  const { submit, alice } = fixture
  const refuse = refusals(t, fixture)
  const publicKey = alice.key.publicKeyHex
  await submit(SET, rules("192.0.2.0/24"))
  await submit(SET, { publicKey: publicKey.toUpperCase(), ...rules("203.0.113.7/32") })
  t.match(listsOf(fixture), [{ publicKey: "" }, { publicKey, blocks: ["203.0.113.7/32"] }])
  await submit(REMOVE, {})
  t.match(listsOf(fixture), [{ publicKey }])
  await refuse("RESOURCE_UNKNOWN", REMOVE, {}, "parameters.publicKey")
  await submit(REMOVE, { publicKey })
  t.same(listsOf(fixture), [])
  const strange = { publicKey: newKey().publicKeyHex }
  await refuse("RESOURCE_UNKNOWN", SET, { ...strange, ...rules() }, "parameters.publicKey")
  await refuse("RESOURCE_UNKNOWN", REMOVE, strange, "parameters.publicKey")
})

t.test("set_ip_allowlist refuses invalid blocks, blocks that are too wide, and too many", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  for (const cidr of ["192.0.2.1", "office", "192.0.0.0/19", "0.0.0.0/0", "2001:db8::/47", "::/0"]) {
    await refuse("IP_BLOCK_INVALID", SET, rules("192.0.2.0/20", cidr), `${RULES}[1].cidr`)
  }
  const four = Array.from({ length: 10 }, (_, index) => `10.0.${index}.0/24`)
  const six = Array.from({ length: 10 }, (_, index) => `2001:db8:${index}::/48`)
  await refuse("LIMIT_EXCEEDED", SET, rules(...four, "10.1.0.0/24"), `${RULES}[10].cidr`)
  await refuse("LIMIT_EXCEEDED", SET, rules(...six, "10.0.0.0/24", "2001:db8:a::/48"), `${RULES}[11].cidr`)
  await refuse("REQUEST_INVALID", SET, { rules: [], onEvaluationError: "PERHAPS" })
  await fixture.submit(SET, rules(...four, ...six))
})

t.test("a sub-organization has no IP allowlists", async (t) => {
  const fixture = await settled(t)
  const { client } = fixture
  const { organizationId, root } = await child(client, fixture)
  await refusedAt(t, client, root, [SET, organizationId, rules()], "ACTIVITY_CALLER_INVALID")
  await refusedAt(t, client, root, [REMOVE, organizationId, {}], "ACTIVITY_CALLER_INVALID")
})
