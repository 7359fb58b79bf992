// A form for the members of a request, made from the API's own document.
import type { JsonMembers } from "../../../../proto/strict-json.ts"
import {
  emptyOf,
  type OpenApi,
  type CallableOperation,
  resolved,
  type OperationSchema,
  valuesOf,
} from "../../api/operations.ts"
import { Notice } from "../../ui/basics.tsx"
import { leafOf } from "./leaf.ts"
import { Leaf, ManyLines } from "./leaf-fields.tsx"

/** The fault of one member, by its path: "users[0].userName". */
export type MemberFault = { path: string; sentence: string }

type Context = { document: OpenApi; fault: MemberFault | undefined }

/** A value at a path, which may be absent. */
type Part = Context & {
  path: string
  name: string
  schema: OperationSchema
  isRequired: boolean
  value: unknown
  onChange: (value: unknown) => void
}

export function SchemaForm(part: {
  document: OpenApi
  operation: CallableOperation
  members: JsonMembers
  fault: MemberFault | undefined
  onChange: (members: JsonMembers) => void
}) {
  const { document, operation, fault } = part
  const { properties = {}, ...schema } = operation.schema
  const shown = Object.fromEntries(
    Object.entries(properties).filter(([name]) => operation.kind === "submit" || name !== "organizationId"),
  )
  if (Object.keys(shown).length === 0) return <p class="quiet">It has no members to fill in.</p>
  return (
    <>
      {fault && (
        <Notice tone="bad">
          <p>{fault.sentence}</p>
        </Notice>
      )}
      <Members
        document={document}
        fault={fault}
        path=""
        schema={{ ...schema, properties: shown }}
        value={part.members}
        onChange={part.onChange}
      />
    </>
  )
}

function Members(
  part: Context & {
    path: string
    schema: OperationSchema
    value: JsonMembers
    onChange: (value: JsonMembers) => void
  },
) {
  const { document, fault, path, schema, value } = part
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <Member
          key={name}
          document={document}
          fault={fault}
          path={path === "" ? name : `${path}.${name}`}
          name={name}
          schema={resolved(document, member)}
          isRequired={schema.required?.includes(name) ?? false}
          value={value[name]}
          onChange={(changed) => part.onChange(withMember(value, name, changed))}
        />
      ))}
    </>
  )
}

/** An absent member has no name. */
function withMember(value: JsonMembers, name: string, changed: unknown): JsonMembers {
  const { [name]: _replaced, ...others } = value
  return changed === undefined ? others : { ...value, [name]: changed }
}

function Member(part: Part) {
  const { document, schema, value } = part
  if (schema.type === "array") {
    const items = resolved(document, schema.items ?? {})
    return items.type === "object" && items.properties ? (
      <Objects {...part} items={items} />
    ) : (
      <ManyLines {...part} values={valuesOf(items)} fault={faultAt(part)} />
    )
  }
  if (schema.type === "object" && schema.properties !== undefined) {
    if (value === undefined)
      return (
        <div class="field">
          <Add {...part} schema={schema} />
        </div>
      )
    return (
      <fieldset class="field">
        <legend>{part.name}</legend>
        <About schema={schema} />
        <div class="stack">
          <Members {...part} value={value as JsonMembers} onChange={part.onChange} />
          {!part.isRequired && <Remove name={part.name} remove={() => part.onChange(undefined)} />}
        </div>
      </fieldset>
    )
  }
  return <Leaf {...part} leaf={leafOf(schema)} fault={faultAt(part)} />
}

/** A list of objects, each with a form of its own. */
function Objects({ items, ...part }: Part & { items: OperationSchema }) {
  const list = Array.isArray(part.value) ? (part.value as JsonMembers[]) : []
  const change = (changed: readonly JsonMembers[]) =>
    part.onChange(changed.length === 0 && !part.isRequired ? undefined : changed)
  return (
    <fieldset class="field">
      <legend>{part.name}</legend>
      <About schema={part.schema} />
      <div class="stack">
        {list.map((item, index) => (
          <fieldset key={index} class="field">
            <legend>
              {part.name} {index + 1}
            </legend>
            <div class="stack">
              <Members
                {...part}
                path={`${part.path}[${index}]`}
                schema={items}
                value={item}
                onChange={(changed) => change(list.with(index, changed))}
              />
              <Remove name={`${part.name} ${index + 1}`} remove={() => change(list.toSpliced(index, 1))} />
            </div>
          </fieldset>
        ))}
        <div>
          <Add {...part} schema={items} onChange={(made) => change([...list, made as JsonMembers])} />
        </div>
      </div>
    </fieldset>
  )
}

function Add({ document, name, schema, onChange }: Pick<Part, "document" | "name" | "schema" | "onChange">) {
  return (
    <button type="button" class="button tight" onClick={() => onChange(emptyOf(document, schema))}>
      Add {name}
    </button>
  )
}

function Remove({ name, remove }: { name: string; remove: () => void }) {
  return (
    <div>
      <button type="button" class="button plain tight" onClick={remove}>
        Remove {name}
      </button>
    </div>
  )
}

function About({ schema: { description } }: { schema: OperationSchema }) {
  return description === undefined ? null : <span class="hint">{description}</span>
}

/** The sentence about a member, or about a part of it that has no field of its own. */
function faultAt({ fault, path }: Pick<Part, "fault" | "path">): string | undefined {
  if (fault === undefined) return undefined
  return fault.path === path || fault.path.startsWith(`${path}[`) ? fault.sentence : undefined
}
