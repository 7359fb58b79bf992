import { useQuery } from "../../api/data.ts"
import { requireLogin } from "../../api/login.ts"
import { Badge, Empty, Section } from "../../ui/basics.tsx"
import { Table } from "../../ui/table.tsx"
import { type Allowlist, changeAllowlist, removeAllowlist, type Rule } from "./allowlist.ts"

/** IP addresses that requests of the organization may come from. */
export function Addresses() {
  const state = useQuery<{ allowlist: Allowlist }>("get_ip_allowlist")
  const list = state.data?.allowlist
  const rules = list?.rules ?? []
  const owner = { name: requireLogin().organizationName }
  return (
    <Section
      title="IP allowlist"
      aside={
        <span class="line">
          {list?.enabled ? (
            <Badge tone="good" why="Requests from other addresses are refused.">
              Enforced
            </Badge>
          ) : (
            <Badge icon="info" why="The list is not in force: requests may come from every address.">
              Not enforced
            </Badge>
          )}
          <button type="button" class="button tight" onClick={() => changeAllowlist(owner, list ?? {})}>
            Change
          </button>
          {rules.length > 0 && (
            <button type="button" class="button tight grave" onClick={() => removeAllowlist(owner)}>
              Remove
            </button>
          )}
        </span>
      }
    >
      <Table<Rule>
        label="IP allowlist"
        columns={[
          { title: "Block", cell: ({ cidr }) => <b class="mono">{cidr}</b> },
          { title: "Name", cell: ({ label }) => label },
        ]}
        rows={list && rules}
        state={state}
        keyOf={({ cidr }) => cidr}
        empty={<Empty sentence="No list: requests may come from every address." />}
      />
      <p class="quiet small">
        A single API key can have a list of its own: under People, at the user who has the key.
      </p>
    </Section>
  )
}
