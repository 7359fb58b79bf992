import { useQuery } from "../../api/data.ts"
import type { UserApiKey, User } from "../../api/people.ts"
import { Badge } from "../../ui/basics.tsx"
import { type Act, RowMenu } from "../../ui/row-menu.tsx"
import { type Allowlist, changeAllowlist, removeAllowlist } from "../settings/allowlist.ts"
import { removeCredential } from "./remove-credential.ts"

const useAllowlist = ({ credential: { publicKey } }: UserApiKey) =>
  useQuery<{ allowlist: Allowlist }>("get_ip_allowlist", { publicKey })

/** The addresses that requests with one API key may come from. */
export function KeyAddresses({ apiKey }: { apiKey: UserApiKey }) {
  const { data, error } = useAllowlist(apiKey)
  if (error) return <span class="quiet wrap">{error.message}</span>
  if (data === undefined) return <span class="skeleton cell" />
  const { rules = [], enabled = false } = data.allowlist
  if (rules.length === 0) return <span class="quiet">as the organization</span>
  return (
    <span class="line">
      <span class="mono wrap">{rules.map(({ cidr }) => cidr).join(", ")}</span>
      {!enabled && (
        <Badge icon="info" why="The list is not in force: requests may come from every address.">
          Not enforced
        </Badge>
      )}
    </span>
  )
}

/** The menu of an API key. */
export function KeyMenu({ user, apiKey }: { user: User; apiKey: UserApiKey }) {
  const { data } = useAllowlist(apiKey)
  const { apiKeyId, apiKeyName: name, credential } = apiKey
  const owner = { name, publicKey: credential.publicKey }
  const acts: Act[] = [
    { verb: "Remove the key", act: () => removeCredential(user, "API_KEYS", apiKeyId, name), grave: true },
  ]
  if (data && (data.allowlist.rules ?? []).length > 0)
    acts.unshift({ verb: "Remove the addresses", act: () => removeAllowlist(owner), grave: true })
  if (data) acts.unshift({ verb: "Change the addresses", act: () => changeAllowlist(owner, data.allowlist) })
  return <RowMenu of={name} acts={acts} />
}
