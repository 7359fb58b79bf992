import { type Fault, isFault } from "../fault.ts"
import { interfaceFault, quoted } from "./fault.ts"
import type { IdlDefinition, IdlType } from "./idl-type.ts"

/** The types that an IDL defines, by name; a fault for one that cannot be read. */
export type IdlTypes = ReadonlyMap<string, IdlDefinition | Fault<"interface">>

/** Largest nesting of defined types. */
const MAX_DEFINED_DEPTH = 16

/** Checks that types are defined and finite. The result for each definition is kept, so that the cost is linear. */
export class LayoutCheck {
  readonly #types: IdlTypes
  /** Greatest depth at which a definition and all its types were found readable. */
  readonly #readableDepths = new Map<string, number>()
  /** Least depth at which a definition was found unreadable. A definition that is too deep may be readable higher up. */
  readonly #faults = new Map<string, { depth: number; fault: Fault<"interface"> }>()

  constructor(types: IdlTypes) {
    this.#types = types
  }

  /** @param place of the type, for a sentence about it @throws Fault interface */
  require(type: IdlType, place: string, above: readonly string[] = []): void {
    if (type.is === "vec" || type.is === "option" || type.is === "array")
      return this.require(type.of, place, above)
    if (type.is !== "defined") return
    const { name } = type
    if (above.includes(name)) throw interfaceFault(place, `contains itself: ${quoted(name)}`)
    if (above.length === MAX_DEFINED_DEPTH)
      throw interfaceFault(place, `lies more than ${MAX_DEFINED_DEPTH} defined types deep`)
    if ((this.#readableDepths.get(name) ?? -1) >= above.length) return
    const known = this.#faults.get(name)
    if (known !== undefined && known.depth <= above.length) throw known.fault
    try {
      this.#requireDefinition(name, place, above)
      this.#readableDepths.set(name, above.length)
    } catch (fault) {
      if (isFault(fault, "interface")) this.#faults.set(name, { depth: above.length, fault })
      throw fault
    }
  }

  #requireDefinition(name: string, place: string, above: readonly string[]): void {
    const definition = this.#types.get(name)
    if (definition === undefined) throw interfaceFault(place, `is not among types: ${quoted(name)}`)
    if (isFault(definition, "interface")) throw definition
    for (const inner of typesOf(definition)) this.require(inner, definition.place, [...above, name])
  }
}

function typesOf({ shape }: IdlDefinition): IdlType[] {
  switch (shape.is) {
    case "struct":
      return shape.fields.map(({ type }) => type)
    case "enum":
      return shape.variants.flatMap(({ fields }) => fields.map(({ type }) => type))
    case "alias":
      return [shape.of]
    default:
      return shape satisfies never
  }
}
