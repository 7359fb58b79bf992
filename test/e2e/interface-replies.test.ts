// Interfaces of contracts over HTTP, against the tables that were written by hand.
import { createHash } from "node:crypto"
import t from "tap"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { freshDatabase } from "../harness/database.ts"
import { type Json, System } from "../harness/system.ts"

const NIL = "00000000-0000-4000-8000-000000000000"
const ADDRESS = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
const TYPE = "CREATE_SMART_CONTRACT_INTERFACE"

/** A list of functions whose text has exactly this many bytes, many of them quotes, which a body escapes. */
function abiOf(bytes: number): string {
  const shell = JSON.stringify([{ name: "f", inputs: [], notice: [] }])
  const notice = Array(((bytes - shell.length - 6) / 3) | 0).fill("")
  const rest = bytes - JSON.stringify([{ name: "f", inputs: [], notice }]).length
  return JSON.stringify([{ name: `f${"x".repeat(rest)}`, inputs: [], notice }])
}

t.test("smart contract interfaces are created, returned and deleted", async (t) => {
  const { url } = await freshDatabase(t)
  // A bound below what this one path promises.
  const system = await System.start(url, { COUNTERSIGN_API_BODY_LIMIT_BYTES: "65536" })
  t.teardown(() => system.stop())
  const { organizationId, root } = await system.createOrganization()
  const post = (path: string, type: string, parameters: object) =>
    system.post(`submit/${path}`, system.body(type, organizationId, parameters), root)
  const query = async (path: string, parameters: object = {}): Promise<Json> => {
    const { json } = await system.query(path, { organizationId, ...parameters }, root)
    return requireQueryReply(path, json)
  }
  const parameters = (smartContractInterface: string) => ({
    smartContractAddress: ADDRESS,
    smartContractInterface,
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
    label: "a token",
  })

  for (const [text, status] of [
    [abiOf(400_001), 400],
    ["[{}]", 400],
    ["x".repeat(1024 * 1024), 413],
  ] as const) {
    const refused = await post("create_smart_contract_interface", TYPE, parameters(text))
    t.equal(refused.status, status)
    requireError(refused.json, 3)
  }
  t.same(await query("list_smart_contract_interfaces"), { smartContractInterfaces: [] })

  const text = abiOf(400_000)
  t.equal(Buffer.byteLength(text), 400_000)
  const { json } = await post("create_smart_contract_interface", TYPE, parameters(text))
  const expected = { type: `ACTIVITY_TYPE_${TYPE}`, parameters: parameters(text) }
  const { smartContractInterfaceId } = requireResult(json, expected)
  const stored = {
    smartContractInterfaceId,
    smartContractAddress: ADDRESS,
    smartContractInterface: text,
    notes: "",
  }
  const one = await query("get_smart_contract_interface", { smartContractInterfaceId })
  t.match(one, { smartContractInterface: stored })
  t.match(await query("list_smart_contract_interfaces"), { smartContractInterfaces: [stored] })
  const { organizationData } = await query("get_organization")
  const digest = createHash("sha256").update(text).digest("hex")
  const reference = { smartContractInterfaceId, smartContractAddress: ADDRESS.toLowerCase(), digest }
  t.match(organizationData, { smartContractInterfaceReferences: [reference] })

  const twin = await post("create_smart_contract_interface", TYPE, parameters("[]"))
  t.equal(twin.status, 409)
  requireError(twin.json, 6)

  const type = "DELETE_SMART_CONTRACT_INTERFACE"
  const gone = await post("delete_smart_contract_interface", type, { smartContractInterfaceId })
  requireResult(gone.json, { type: `ACTIVITY_TYPE_${type}`, parameters: { smartContractInterfaceId } })
  for (const id of [smartContractInterfaceId, NIL]) {
    const asked = { organizationId, smartContractInterfaceId: id }
    const reply = await system.query("get_smart_contract_interface", asked, root)
    t.equal(reply.status, 404)
    requireError(reply.json, 5)
  }
})
