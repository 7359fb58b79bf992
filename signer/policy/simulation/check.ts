import { compile, ExpressionFault, type Field, type Known, lint, type Warning } from "../expression.ts"

/** What an author should know of one expression before it is used. */
export type Checked = {
  field: Field
  text: string
  /** Why it would be refused. */
  fault?: { offset: number; length: number; sentence: string } | undefined
  /** What is probably not meant. */
  warnings: readonly Warning[]
}

/** The three expressions of a policy. */
export type Texts = { readonly [field in Field]?: string | undefined }

const FIELDS: readonly Field[] = ["condition", "consensus", "time"]

/** Looks at those expressions of a policy that are there. */
export function checkExpressions(texts: Texts, known: Known): Checked[] {
  return FIELDS.flatMap((field) => {
    const text = texts[field]
    return text === undefined || text === "" ? [] : [checkExpression(field, text, known)]
  })
}

function checkExpression(field: Field, text: string, known: Known): Checked {
  try {
    return { field, text, warnings: lint(compile(text, field), known) }
  } catch (fault) {
    if (!(fault instanceof ExpressionFault)) throw fault
    const { offset, length, message, suggestion } = fault
    const sentence = suggestion === undefined ? message : `${message}; ${suggestion}`
    return { field, text, fault: { offset, length, sentence }, warnings: [] }
  }
}
