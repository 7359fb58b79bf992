import { counted } from "../../../signer/core/counted.ts"
import { CliError, ExitCode } from "../../terminal-client/exit.ts"
import { documentOf } from "../policies/organization.ts"
import { type CaseResult, draftOf, runCases } from "../policies/run-tests.ts"
import { linesOfNote } from "../../terminal-client/note-lines.ts"
import { readPolicyFile, readTestFile } from "../policies/read-file.ts"
import { type ExpressionAdvice, checkExpressions, policyWarnings } from "../../policy-advice/check.ts"
import { knownNamesOf, searchMeasureOf } from "../../policy-advice/known.ts"
import type { PolicyTrace } from "../../policy-advice/trace.ts"
import { printEither, printResult, type Terminal } from "../../terminal-client/terminal.ts"

type Options = { json?: boolean }

/** Decides the cases of a file offline, with the signer's own procedure. @throws {CliError} verificationFailed */
export async function testPolicies(file: string, options: Options, terminal: Terminal): Promise<void> {
  const results = runCases(await readTestFile(file))
  const failed = results.filter(({ faults }) => faults.length > 0)
  const summary = `${results.length - failed.length} of ${counted(results.length, "case")} as expected`
  if (options.json) printResult(terminal, { passed: failed.length === 0, cases: results }, options)
  else {
    for (const line of results.flatMap(linesOfCase)) terminal.print(line)
    terminal.print(summary)
  }
  if (failed.length > 0) throw new CliError(ExitCode.verificationFailed, `${file}: ${summary}`)
}

/** Prints faults and warnings of the policies of a file. @throws {CliError} verificationFailed */
export async function checkPolicies(file: string, options: Options, terminal: Terminal): Promise<void> {
  const { organization, policies, placeOf } = await readPolicyFile(file)
  const document = organization && documentOf(organization)
  const searches = document && searchMeasureOf(document)
  const checked = policies.map(draftOf).map((draft, index) => ({
    policyName: draft.name,
    expressions: checkExpressions(draft, knownNamesOf(draft.effect, document, Date.now(), searches)).map(
      (advice) => ({
        ...advice,
        place: placeOf(index, advice.field),
      }),
    ),
    warnings: policyWarnings(draft.effect, draft),
  }))
  printEither(terminal, options, { policies: checked }, checked.flatMap(linesOfPolicy))
  const faults = checked.flatMap(({ expressions }) => expressions.filter(({ fault }) => fault !== undefined))
  if (faults.length > 0) {
    const count = faults.length === 1 ? "one expression" : `${faults.length} expressions`
    throw new CliError(ExitCode.verificationFailed, `${file}: ${count} would be refused`)
  }
}

function linesOfCase({ name, faults, policies }: CaseResult): string[] {
  if (faults.length === 0) return [`ok    ${name}`]
  return [
    `FAIL  ${name}`,
    ...faults.map((fault) => `        ${fault}`),
    ...policies.flatMap(({ policyName, outcome, trace }) => [
      `        ${policyName}  ${outcome}${payloadOf(trace)}`,
      ...clausesOf(trace),
    ]),
  ]
}

/** The item of a batch that the clauses explain. */
function payloadOf({ payloadIndex }: PolicyTrace): string {
  return payloadIndex === undefined ? "" : `  item ${payloadIndex} of the batch`
}

/** The clauses that decided. */
function clausesOf({ expressions }: PolicyTrace): string[] {
  return expressions.flatMap(({ field, deciding, result }) => {
    if (result === "invalid") return [`          ${field} would be refused`]
    return deciding.map(
      ({ text, result: own, sentence }) =>
        `          ${field} ${own}${sentence === undefined ? "" : ` (${sentence})`}: ${text}`,
    )
  })
}

/** `place`: the expression's place in the file. */
type PlacedAdvice = ExpressionAdvice & { place: string }

type CheckedPolicy = {
  policyName: string
  expressions: readonly PlacedAdvice[]
  warnings: readonly string[]
}

function linesOfPolicy({ policyName, expressions, warnings }: CheckedPolicy): string[] {
  const notes = [
    ...warnings.flatMap((sentence) => linesOfNote("note", { sentence })),
    ...expressions.flatMap(linesOfExpression),
  ]
  return notes.length === 0 ? [`ok    ${policyName}`] : [`      ${policyName}`, ...notes]
}

function linesOfExpression({ field, text, fault, warnings, place }: PlacedAdvice): string[] {
  const placed = ({ offset, length, sentence }: { offset: number; length: number; sentence: string }) => ({
    sentence,
    at: { field, offset, length, text: text.slice(offset, offset + Math.max(length, 1)) },
  })
  return [
    ...(fault === undefined ? [] : [...linesOfNote("FAULT", placed(fault)), `        ${place}`]),
    ...warnings.flatMap((warning) => [...linesOfNote("note", placed(warning)), `        ${place}`]),
  ]
}
