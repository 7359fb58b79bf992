import { useQuery } from "../../api/data.ts"
import { requireLogin } from "../../api/login.ts"
import { Badge, Empty, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf } from "../../ui/fields.tsx"
import { Table } from "../../ui/table.tsx"

type Rule = { cidr: string; label?: string }
type Allowlist = { rules?: Rule[]; enabled?: boolean; onEvaluationError?: string }

/** IP addresses that requests of the organization may come from. */
export function Addresses() {
  const state = useQuery<{ allowlist: Allowlist }>("get_ip_allowlist")
  const list = state.data?.allowlist
  const rules = list?.rules ?? []
  return (
    <Section
      title="IP allowlist"
      aside={
        <span class="line">
          {list?.enabled ? <Badge tone="good">Enforced</Badge> : <Badge icon="info">Not enforced</Badge>}
          <button type="button" class="button tight" onClick={() => change(list ?? {})}>
            Change
          </button>
          {rules.length > 0 && (
            <button type="button" class="button tight grave" onClick={remove}>
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
    </Section>
  )
}

function change({ rules = [], enabled = true, onEvaluationError = "DENY" }: Allowlist): void {
  openChange({
    title: "Change the IP allowlist",
    verb: "Save list",
    type: "ACTIVITY_TYPE_SET_IP_ALLOWLIST",
    fields: [
      {
        name: "rules",
        label: "Blocks",
        kind: "area",
        code: true,
        initial: rules.map(({ cidr, label = "" }) => `${cidr} ${label}`.trim()).join("\n"),
        placeholder: "203.0.113.0/24 office",
        hint: "One a line, in CIDR notation, then its name. IPv4 no wider than /20, IPv6 no wider than /48; ten of each.",
      },
      { name: "enabled", label: "Enforce the list", kind: "check", initial: enabled },
      {
        name: "onEvaluationError",
        label: "Where an address is not known",
        kind: "select",
        options: [
          { value: "DENY", label: "Refuse" },
          { value: "ALLOW", label: "Allow" },
        ],
        initial: onEvaluationError,
      },
      {
        name: "excludeCaller",
        label: "It may exclude the address that I work from",
        kind: "check",
        hint: "Otherwise such a list is refused.",
      },
    ],
    parameters: (values) => ({
      enabled: values["enabled"] === true,
      onEvaluationError: textOf(values, "onEvaluationError"),
      ...(values["excludeCaller"] === true && { excludeCaller: true }),
      rules: textOf(values, "rules")
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .map((line) => {
          const [cidr = "", ...words] = line.split(/\s+/)
          return { cidr, ...(words.length > 0 && { label: words.join(" ") }) }
        }),
    }),
  })
}

function remove(): void {
  openChange({
    title: "Remove the IP allowlist",
    verb: "Remove list",
    type: "ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST",
    grave: { loses: "Requests may come from every address.", name: requireLogin().organizationName },
    parameters: () => ({}),
  })
}
