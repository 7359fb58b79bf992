// Pickers beside an expression: each puts what was chosen at the cursor, as the language writes it.
import { useState } from "preact/hooks"
import { useContracts } from "../../api/policy-things.ts"
import type { ListedOrganization } from "../../api/directory.ts"
import type { Option } from "../../ui/options.tsx"
import { Picker } from "../../ui/picker.tsx"
import { UserPicker } from "../../ui/user-picker.tsx"
import { fromWhole } from "../../words/amounts.ts"
import { literal } from "../../words/recipes.ts"

const KINDS = ["User", "Tag", "Wallet", "Contract", "Amount"] as const
type Kind = (typeof KINDS)[number]

type InsertProps = {
  organization: ListedOrganization | undefined
  insert: (text: string) => void
}

export function Insert({ organization, insert }: InsertProps) {
  const [kind, setKind] = useState<Kind | undefined>(undefined)
  const put = (text: string) => {
    setKind(undefined)
    insert(text)
  }
  return (
    <div class="insert">
      <div class="chips" role="group" aria-label="Insert">
        <span class="quiet small">Insert</span>
        {KINDS.map((one) => (
          <button
            key={one}
            type="button"
            class="button plain tight"
            aria-pressed={one === kind}
            onClick={() => setKind(one === kind ? undefined : one)}
          >
            {one}
          </button>
        ))}
      </div>
      {kind === "Amount" ? (
        <Amount insert={put} />
      ) : (
        kind !== undefined && <Thing kind={kind} organization={organization} insert={put} />
      )}
    </div>
  )
}

type ThingProps = {
  kind: Exclude<Kind, "Amount">
  organization: ListedOrganization | undefined
  insert: (text: string) => void
}

function Thing({ kind, organization, insert }: ThingProps) {
  const contracts = useContracts()
  const choose = ([id]: readonly string[]) => id !== undefined && insert(literal(id))
  if (kind === "User") return <UserPicker label="User to insert" value={NONE} onChange={choose} />
  const options: { [kind: string]: readonly Option[] } = {
    Tag: (organization?.tags ?? []).map(({ tagId, tagName }) => ({ value: tagId, label: tagName })),
    Wallet: (organization?.wallets ?? []).map(({ walletId, walletName }) => ({
      value: walletId,
      label: walletName,
    })),
    Contract: contracts.map(({ address, label }) => ({ value: address, label: `${label}, ${address}` })),
  }
  return (
    <Picker
      label={`${kind} to insert`}
      value={NONE}
      options={options[kind] ?? []}
      labelOf={(id) => id}
      onChange={choose}
    />
  )
}

const NONE: readonly string[] = []

const UNITS: readonly Option[] = [
  { value: "18", label: "ETH, 18 decimals" },
  { value: "9", label: "SOL or gwei, 9 decimals" },
  { value: "8", label: "BTC, 8 decimals" },
  { value: "6", label: "TRX or USDC, 6 decimals" },
]

function Amount({ insert }: { insert: (text: string) => void }) {
  const [text, setText] = useState("")
  const [decimals, setDecimals] = useState("18")
  const units = unitsOf(text, Number(decimals))
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        if (units !== undefined) insert(units)
      }}
    >
      <label class="field">
        <span class="small quiet">Amount</span>
        <input
          type="text"
          inputMode="decimal"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span class="small quiet">Unit</span>
        <select value={decimals} onChange={(event) => setDecimals(event.currentTarget.value)}>
          {UNITS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button" disabled={units === undefined}>
        Insert {units ?? "the amount"}
      </button>
    </form>
  )
}

function unitsOf(text: string, decimals: number): string | undefined {
  try {
    return fromWhole(text, decimals)
  } catch {
    return undefined
  }
}
