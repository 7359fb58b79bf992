// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import { controls as policiesControls } from "./policies/controls.ts"

/** Velocity controls in decisions. */
export const controls = { ...policiesControls }
