// Lists of addresses that requests may come from: the organization's, and those of single API keys.
import { openChange } from "../../ui/change.tsx"
import { linesOf, textOf } from "../../ui/fields.tsx"

export type Rule = { cidr: string; label?: string }
export type Allowlist = { rules?: Rule[]; enabled?: boolean; onEvaluationError?: string }

/** Owner of a list: the organization, or the API key with this public key. */
type ListOwner = { name: string; publicKey?: string }

const memberOf = ({ publicKey }: ListOwner) => (publicKey === undefined ? {} : { publicKey })

export function changeAllowlist(owner: ListOwner, { rules = [], ...list }: Allowlist): void {
  const isNew = rules.length === 0
  openChange({
    title: `Change the IP allowlist of ${owner.name}`,
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
      {
        name: "enabled",
        label: "Enforce the list",
        kind: "check",
        initial: isNew || list.enabled === true,
        ...(owner.publicKey !== undefined && {
          hint: "It counts while the organization enforces its own list, and replaces that for this key.",
        }),
      },
      {
        name: "onEvaluationError",
        label: "Where an address is not known",
        kind: "select",
        options: [
          { value: "DENY", label: "Refuse" },
          { value: "ALLOW", label: "Allow" },
        ],
        initial: list.onEvaluationError ?? "DENY",
      },
      {
        name: "excludeCaller",
        label: "It may exclude the address that I work from",
        kind: "check",
        hint: "Otherwise such a list is refused.",
      },
    ],
    parameters: (values) => ({
      ...memberOf(owner),
      enabled: values["enabled"] === true,
      onEvaluationError: textOf(values, "onEvaluationError"),
      ...(values["excludeCaller"] === true && { excludeCaller: true }),
      rules: linesOf(values, "rules").map((line) => {
        const [cidr = "", ...words] = line.split(/\s+/)
        return { cidr, ...(words.length > 0 && { label: words.join(" ") }) }
      }),
    }),
  })
}

export function removeAllowlist(owner: ListOwner): void {
  const loses =
    owner.publicKey === undefined
      ? "Requests may come from every address."
      : "Requests with this key may come from every address that the organization's list allows."
  openChange({
    title: `Remove the IP allowlist of ${owner.name}`,
    verb: "Remove list",
    type: "ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST",
    grave: { loses, name: owner.name },
    parameters: () => memberOf(owner),
  })
}
