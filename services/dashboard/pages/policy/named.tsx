// The names of ids and addresses in expressions: the language has only ids.
import { type ListedOrganization, nameOf } from "../../api/directory.ts"
import { Facts, Id } from "../../ui/basics.tsx"

const ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-fA-F]{40}\b/g

export function NamedIds({
  texts,
  organization,
}: {
  texts: readonly string[]
  organization: ListedOrganization | undefined
}) {
  const ids = [...new Set(texts.flatMap((text) => text.match(ID) ?? []))]
  const named = ids.map((id) => [nameOf(organization, id), id] as const)
  const known = named.filter((one): one is [string, string] => one[0] !== undefined)
  if (known.length === 0) return null
  return (
    <div class="field">
      <span class="strong">Names of the ids above</span>
      <Facts short facts={known.map(([name, id]) => [name, <Id id={id} />])} />
    </div>
  )
}
