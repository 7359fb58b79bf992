/** A result as lines for people and as JSON for programs. */
export type CommandResult = { lines: string[]; json: object; exitStatus?: number }
