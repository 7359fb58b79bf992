// Finds faults in the values that a user gave for a recipe's slots.
import { fromWhole } from "./amounts.ts"
import type { Recipe, RecipeSlot, SlotValues } from "./recipes.ts"

const ADDRESS = /^0x[0-9a-f]{40}$/i

/** Sentences by the name of their slot. */
export function faultsOfSlots({ slots }: Recipe, values: SlotValues): { readonly [name: string]: string } {
  const faults = slots.map((slot) => [slot.name, faultOf(slot, values[slot.name] ?? "", values)] as const)
  return Object.fromEntries(faults.filter(([, fault]) => fault !== ""))
}

function faultOf(slot: RecipeSlot, value: string, values: SlotValues): string {
  const text = value.trim()
  switch (slot.kind) {
    case "amount":
      return text === ""
        ? "Write an amount."
        : faultOfAmount(text, slot.decimals ?? Number(values["decimals"] ?? ""))
    case "number":
      return /^\d{1,2}$/.test(text) ? "" : "Write a number."
    case "address":
      return ADDRESS.test(text) ? "" : "An address is 0x and 40 hexadecimal digits."
    case "addresses":
      return text !== "" && text.split(/[\s,]+/).every((line) => ADDRESS.test(line))
        ? ""
        : "Each line is an address: 0x and 40 hexadecimal digits."
    case "data":
      return /^0x(?:[0-9a-f]{2})*$/i.test(text) ? "" : "Data are 0x and hexadecimal digits."
    case "day":
      return Number.isNaN(Date.parse(`${text}T00:00:00Z`)) ? "Choose a day." : ""
    default:
      return text === "" ? "Choose one." : ""
  }
}

function faultOfAmount(text: string, decimals: number): string {
  try {
    fromWhole(text, decimals)
    return ""
  } catch (error) {
    return (error as Error).message
  }
}
