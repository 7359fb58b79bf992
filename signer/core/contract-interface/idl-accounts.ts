import { interfaceFault, join, memberOf, requireList, requireObject } from "./fault.ts"
import { requireName } from "./idl-type.ts"

/** An account of an instruction. */
export type IdlAccount = {
  /** The account's own name. Accounts of two groups may have the same. */
  name: string
  /** The name behind the names of its groups: `repayAccounts.owner`. */
  path: string
}

/** Largest nesting of groups of accounts. */
const MAX_GROUP_DEPTH = 8

/** Reads accounts in their order; a group is replaced by its accounts. @throws Fault interface */
export function readAccounts(
  list: readonly unknown[],
  place: string,
  groups: readonly string[] = [],
): IdlAccount[] {
  if (groups.length > MAX_GROUP_DEPTH) throw interfaceFault(place, "is nested too deep in groups")
  return list.flatMap((item, index) => {
    const at = `${place}[${index}]`
    const members = requireObject(item, at)
    const name = requireName(members, at)
    const names = [...groups, name]
    if (memberOf(members, "accounts") === undefined) return [{ name, path: names.join(".") }]
    return readAccounts(requireList(members, "accounts", at), join(at, "accounts"), names)
  })
}

/** The name of each account: its own, or its path where another account has the same. */
export function namesOfAccounts(accounts: readonly IdlAccount[]): string[] {
  const counts = new Map<string, number>()
  for (const { name } of accounts) counts.set(name, (counts.get(name) ?? 0) + 1)
  return accounts.map(({ name, path }) => (counts.get(name) === 1 ? name : path))
}
