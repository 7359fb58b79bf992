// The editor of expressions: CodeMirror, loaded when a policy is opened. It is in a shadow root, where its styles are
// objects. As style elements, the page's content security policy would block them.
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  completionKeymap,
} from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language"
import { type Diagnostic, linter, lintKeymap, setDiagnostics } from "@codemirror/lint"
import { EditorState } from "@codemirror/state"
import { EditorView, highlightSpecialChars, keymap, placeholder } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import type { Field } from "../../../signer/core/policy/expression.ts"
import { faultIn, type Mark, proposalsAt } from "./language.ts"

export type Editor = {
  setWarnings: (marks: readonly Mark[]) => void
  /** Puts a text at the cursor, in place of what is selected, and focuses the editor. */
  insert: (text: string) => void
  destroy: () => void
}

export type EditorOptions = {
  field: Field
  text: string
  label: string
  hint: string
  onChange: (text: string) => void
  /** Called with the sentence of the fault once the text has settled; undefined: there is none. */
  onFault: (sentence: string | undefined) => void
}

const language = StreamLanguage.define({
  token(stream) {
    if (stream.match(/'[^']*'|"[^"]*"/)) return "string"
    if (stream.match(/\b\d+\b/)) return "number"
    if (stream.match(/\b(?:true|false|in|not)\b/)) return "keyword"
    if (stream.match(/&&|\|\||[=!<>]=?|[+\-*/%]/)) return "operator"
    if (stream.match(/[A-Za-z_]\w*/)) return "variableName"
    stream.next()
    return null
  },
})

const colours = HighlightStyle.define([
  { tag: tags.string, color: "var(--good)" },
  { tag: tags.number, color: "var(--data)" },
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: tags.operator, color: "var(--ink-2)" },
])

const theme = EditorView.theme({
  "&": {
    color: "var(--ink)",
    backgroundColor: "var(--card)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius-s)",
    fontSize: "0.8125rem",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-content": {
    fontFamily: "var(--mono)",
    padding: "var(--space-2) 0",
    caretColor: "var(--ink)",
    minHeight: "4rem",
  },
  ".cm-line": { padding: "0 var(--space-3)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft) !important",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--card)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius-s)",
    boxShadow: "var(--shadow)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--accent-strong)",
  },
  ".cm-completionDetail": { color: "var(--ink-2)", fontStyle: "normal" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", padding: "var(--space-1) var(--space-2)" },
  ".cm-placeholder": { color: "var(--ink-2)" },
})

export function openEditor(
  place: HTMLElement,
  { field, text, label, hint, onChange, onFault }: EditorOptions,
): Editor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" })
  const holder = document.createElement("div")
  root.replaceChildren(holder)
  let warnings: readonly Mark[] = []
  const diagnostics = (now: string): Diagnostic[] => {
    const fault = faultIn(now, field)
    onFault(fault && upperFirst(fault.sentence))
    const faults = fault ? [{ ...fault, severity: "error" as const, message: fault.sentence }] : []
    const known = warnings.filter(({ to }) => to <= now.length)
    return [
      ...faults,
      ...known.map((mark) => ({ ...mark, severity: "warning" as const, message: mark.sentence })),
    ]
  }
  const complete = (context: CompletionContext) => completions(context, field)
  const view = new EditorView({
    root,
    parent: holder,
    state: EditorState.create({
      doc: text,
      extensions: [
        history(),
        language,
        syntaxHighlighting(colours),
        theme,
        EditorView.lineWrapping,
        highlightSpecialChars(),
        EditorView.contentAttributes.of({ "aria-label": label }),
        placeholder(hint),
        autocompletion({ override: [complete], icons: false }),
        linter(({ state }) => diagnostics(state.doc.toString()), { delay: 200 }),
        // Tab leaves the editor unless a completion is open: keyboard users must get out.
        keymap.of([
          { key: "Tab", run: acceptCompletion },
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setWarnings(marks) {
      warnings = marks
      view.dispatch(setDiagnostics(view.state, diagnostics(view.state.doc.toString())))
    },
    insert(chosen) {
      view.dispatch(view.state.replaceSelection(chosen))
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

const upperFirst = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** Proposals at the cursor: after a dot, in a word that has begun, or when they are asked for. */
function completions({ state, pos, explicit }: CompletionContext, field: EditorOptions["field"]) {
  const { from, proposals } = proposalsAt(state.sliceDoc(0, pos), field)
  const isBegun = from !== pos || state.sliceDoc(from - 1, from) === "."
  if (proposals.length === 0 || (!isBegun && !explicit)) return null
  return {
    from,
    options: proposals.map(({ label, kind, detail }) => ({
      label,
      detail,
      type: kind === "field" ? "property" : kind === "value" ? "constant" : "function",
    })),
  }
}
