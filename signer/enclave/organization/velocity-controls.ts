import { create } from "@bufbuild/protobuf"
import {
  type VelocityControl,
  VelocityControlSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
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

/** `id` in upper or lower case; returns the control. @throws RESOURCE_UNKNOWN */
export function removeVelocityControl(draft: Draft, id: string, field: string): VelocityControl {
  const { document } = draft
  const velocityControlId = id.toLowerCase()
  const control = document.velocityControls.find((one) => one.velocityControlId === velocityControlId)
  if (control === undefined) {
    const sentence = `unable to find velocity control ${velocityControlId} in organization ${draft.id}`
    throw refuse("RESOURCE_UNKNOWN", sentence, { field })
  }
  document.velocityControls = document.velocityControls.filter((one) => one !== control)
  draft.markChanged()
  return control
}
