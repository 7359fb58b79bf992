import { create } from "@bufbuild/protobuf"
import {
  type OrganizationDocument,
  type Policy,
  type VelocityControl,
  VelocityControlSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { compileExpression, controlsReadBy } from "../../core/policy/decision/policy-set.ts"
import { refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"
import { MAX_VELOCITY_CONTROLS } from "./limits.ts"

export type NewVelocityControl = Omit<VelocityControl, "$typeName" | "$unknown" | "createdAtMs">

/** The terms have been read. @throws LIMIT_EXCEEDED, NAME_TAKEN */
export function addVelocityControl(draft: Draft, control: NewVelocityControl, field: string): void {
  const { velocityControls } = draft.document
  if (velocityControls.length >= MAX_VELOCITY_CONTROLS)
    throw refuse("LIMIT_EXCEEDED", `an organization has at most ${MAX_VELOCITY_CONTROLS} velocity controls`)
  const { identifier } = control
  if (velocityControls.some((other) => other.identifier === identifier)) {
    const sentence = `identifiers of velocity controls are unique: ${identifier} is taken; choose another`
    throw refuse("NAME_TAKEN", sentence, { field: `${field}.identifier` })
  }
  velocityControls.push(create(VelocityControlSchema, { ...control, createdAtMs: draft.nowMs }))
  draft.markChanged()
}

/** `id` in upper or lower case; returns the control. @throws RESOURCE_UNKNOWN, VELOCITY_CONTROL_IN_USE */
export function removeVelocityControl(draft: Draft, id: string, field: string): VelocityControl {
  const { document } = draft
  const velocityControlId = id.toLowerCase()
  const control = document.velocityControls.find((one) => one.velocityControlId === velocityControlId)
  if (control === undefined) {
    const sentence = `unable to find velocity control ${velocityControlId} in organization ${draft.id}`
    throw refuse("RESOURCE_UNKNOWN", sentence, { field })
  }
  requireUnread(document.policies, control, field)
  document.velocityControls = document.velocityControls.filter((one) => one !== control)
  draft.markChanged()
  return control
}

/** Policies named in one sentence. */
const MAX_NAMED = 10

/** A condition that reads a control which is gone would be an error: a DENY with it would no longer deny. */
function requireUnread(policies: readonly Policy[], { identifier }: VelocityControl, field: string): void {
  const readers = policies.filter(({ condition }) =>
    controlsReadBy(compileExpression(condition, "condition")).has(identifier),
  )
  if (readers.length === 0) return
  const named = readers.slice(0, MAX_NAMED).map(({ policyId }) => policyId)
  const more = readers.length > MAX_NAMED ? ` and ${readers.length - MAX_NAMED} more` : ""
  const sentence = `policies read controls.${identifier}: ${named.join(", ")}${more}; change or delete them first`
  throw refuse("VELOCITY_CONTROL_IN_USE", sentence, { field })
}

/** Requires that the organization has every control that a condition reads. @throws EXPRESSION_FIELD_UNKNOWN */
export function requireControlsRead(
  { velocityControls }: Pick<OrganizationDocument, "velocityControls">,
  condition: string | undefined,
  field: string,
): void {
  const known = new Set(velocityControls.map(({ identifier }) => identifier))
  for (const [identifier, { offset, length }] of controlsReadBy(compileExpression(condition, "condition"))) {
    if (known.has(identifier)) continue
    const sentence =
      `invalid policy condition: Expression cannot be evaluated: field does not exist: ${identifier}; ` +
      "create the velocity control with this identifier first"
    throw refuse("EXPRESSION_FIELD_UNKNOWN", sentence, {
      field,
      expression: { offset, length, found: identifier },
    })
  }
}
