// Interfaces of contracts.
import { createHash } from "node:crypto"
import type { Sequence } from "./sequence.ts"

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

export const interfaces: Sequence = {
  title: "smart contract interfaces are created, returned and deleted",
  // A bound below the size that the interface promises for this one path.
  settings: { COUNTERSIGN_API_BODY_LIMIT_BYTES: "65536" },
  run: async (t, { submit, query, refused }) => {
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
    ] as const)
      await refused(TYPE, parameters(text), [status, 3])
    t.same(await query("list_smart_contract_interfaces"), { smartContractInterfaces: [] })

    const text = abiOf(400_000)
    t.equal(Buffer.byteLength(text), 400_000)
    const { smartContractInterfaceId } = await submit(TYPE, parameters(text))
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

    await refused(TYPE, parameters("[]"), [409, 6])

    await submit("DELETE_SMART_CONTRACT_INTERFACE", { smartContractInterfaceId })
    for (const id of [smartContractInterfaceId, NIL])
      await refused("get_smart_contract_interface", { smartContractInterfaceId: id }, [404, 5])
  },
}
