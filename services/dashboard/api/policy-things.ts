// The things that policies name, beside those of the organization: contracts and velocity controls.
import type { JsonMembers } from "../../../proto/strict-json.ts"
import { useQuery } from "./data.ts"
import type { Option } from "../ui/options.tsx"

export type Contract = { address: string; label: string; functions: readonly ContractFunction[] }
export type ContractFunction = { name: string; amounts: readonly string[] }

type Listed = { smartContractAddress: string; smartContractInterface: string; label: string }

/** Contracts whose interfaces the organization has. */
export function useContracts(): readonly Contract[] {
  const { data } = useQuery<{ smartContractInterfaces?: Listed[] }>("list_smart_contract_interfaces")
  return (data?.smartContractInterfaces ?? []).map(
    ({ smartContractAddress, smartContractInterface, label }) => ({
      address: smartContractAddress,
      label,
      functions: functionsOf(smartContractInterface),
    }),
  )
}

/** Functions of an ABI with the names of their whole numbers; none of other texts. */
export function functionsOf(text: string): ContractFunction[] {
  try {
    const entries: unknown = JSON.parse(text)
    if (!Array.isArray(entries)) return []
    return (entries as JsonMembers[])
      .filter(({ type, name }) => type === "function" && typeof name === "string")
      .map(({ name, inputs }) => ({ name: String(name), amounts: amountsOf(inputs) }))
  } catch {
    return []
  }
}

const amountsOf = (inputs: unknown): string[] =>
  ((Array.isArray(inputs) ? inputs : []) as JsonMembers[])
    .filter(({ type, name }) => /^u?int\d*$/.test(String(type)) && typeof name === "string")
    .map(({ name }) => String(name))

type ListedControl = { name: string; identifier: string }

/** Velocity controls by the identifiers that policies use. */
export function useControls(): readonly Option[] {
  const { data } = useQuery<{ velocityControls?: ListedControl[] }>("list_velocity_controls", {
    paginationOptions: { limit: "100" },
  })
  return (data?.velocityControls ?? []).map(({ name, identifier }) => ({ value: identifier, label: name }))
}
