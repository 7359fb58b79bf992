// The fields of a recipe: pickers for things of the organization, and texts for the others.
import type { ComponentChildren } from "preact"
import { useContracts, useControls } from "../../api/policy-things.ts"
import { type ListedOrganization, nameOf } from "../../api/directory.ts"
import { userOf } from "../../api/people.ts"
import { FieldRow } from "../../ui/fields.tsx"
import { Icon } from "../../ui/icon.tsx"
import type { Option } from "../../ui/options.tsx"
import { Picker } from "../../ui/picker.tsx"
import { UserPicker } from "../../ui/user-picker.tsx"
import { fromWhole } from "../../words/amounts.ts"
import { chainOptions } from "../../words/chains.ts"
import type { RecipeSlot, SlotValues } from "../../words/recipes.ts"

type SlotProps = {
  slot: RecipeSlot
  values: SlotValues
  fault: string | undefined
  organization: ListedOrganization | undefined
  onChange: (value: string) => void
}

const same = (name: string): Option => ({ value: name, label: name })

/** Options of a slot, by kind; undefined: it is no choice of a list. */
function useOptions({ slot, values, organization }: Pick<SlotProps, "slot" | "values" | "organization">) {
  const contracts = useContracts()
  const controls = useControls()
  const contract = contracts.find(({ address }) => address === values["contract"])
  const tags = (type: string): Option[] =>
    (organization?.tags ?? [])
      .filter(({ tagType }) => tagType === type)
      .map(({ tagId, tagName }) => ({ value: tagId, label: tagName }))
  switch (slot.kind) {
    case "userTag":
      return tags("TAG_TYPE_USER")
    case "keyTag":
      return tags("TAG_TYPE_PRIVATE_KEY")
    case "wallet":
      return (organization?.wallets ?? []).map(({ walletId, walletName }) => ({
        value: walletId,
        label: walletName,
      }))
    case "contract":
      return contracts.map(({ address, label }) => ({ value: address, label: `${label}, ${address}` }))
    case "function":
      return (contract?.functions ?? []).map(({ name }) => same(name))
    case "argument":
      return (contract?.functions.find(({ name }) => name === values["function"])?.amounts ?? []).map(same)
    case "chain":
      return chainOptions()
    case "control":
      return controls
    default:
      return undefined
  }
}

/** The name of a slot's value, for people. */
function nameOfValue(
  slot: RecipeSlot,
  value: string,
  organization: ListedOrganization | undefined,
  options: readonly Option[] = [],
): string {
  if (slot.kind === "user") return userOf(value)?.userName ?? value
  const label = options.find((option) => option.value === value)?.label
  return label ?? nameOf(organization, value) ?? value
}

export function SlotField(part: SlotProps) {
  const { slot, values, fault, organization, onChange } = part
  const options = useOptions(part)
  const value = values[slot.name] ?? ""
  const chosen = [value].filter((one) => one !== "")
  if (slot.kind === "user")
    return (
      <PickedField slot={slot} fault={fault}>
        <UserPicker
          label={slot.label}
          value={chosen}
          onChange={([id = ""]) => onChange(id)}
          isInvalid={fault !== undefined}
        />
      </PickedField>
    )
  if (options !== undefined)
    return (
      <PickedField slot={slot} fault={fault}>
        <Picker
          label={slot.label}
          value={chosen}
          options={options}
          labelOf={(id) => nameOfValue(slot, id, organization, options)}
          onChange={([id = ""]) => onChange(id)}
          isInvalid={fault !== undefined}
        />
      </PickedField>
    )
  const hint = slot.kind === "amount" ? amountHint(value, slot, values) : slot.hint
  const kind = slot.kind === "addresses" ? "area" : slot.kind === "day" ? "date" : "text"
  return (
    <FieldRow
      field={{ name: slot.name, label: slot.label, kind, ...(hint !== undefined && { hint }) }}
      value={value}
      fault={fault}
      onChange={(text) => onChange(String(text))}
    />
  )
}

/** The amount as it will stand in the condition. */
function amountHint(value: string, slot: RecipeSlot & { kind: "amount" }, values: SlotValues): string {
  try {
    const units = fromWhole(value, slot.decimals ?? Number(values["decimals"] ?? ""))
    return `${value.trim()} ${slot.unit}, which is ${BigInt(units).toLocaleString("en")} of the smallest unit.`
  } catch {
    return `In whole units ${slot.unit}, such as 1.5.`
  }
}

type PickedFieldProps = { slot: RecipeSlot; fault: string | undefined; children: ComponentChildren }

function PickedField({ slot, fault, children }: PickedFieldProps) {
  return (
    <div class="field">
      <span class="strong">{slot.label}</span>
      {children}
      {slot.hint !== undefined && <span class="hint">{slot.hint}</span>}
      {fault !== undefined && (
        <span class="fault" role="alert">
          <Icon name="alert" />
          {fault}
        </span>
      )}
    </div>
  )
}
