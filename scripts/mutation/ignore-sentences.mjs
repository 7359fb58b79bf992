// A Stryker plugin: texts for people are no guards. It ignores the sentence of a refusal or of an error, in place or as
// a constant called `sentence`. Codes, kinds, tags and every other text stay mutated. It also ignores the default of a
// switch that names every case (`satisfies never`): nothing reaches it.

const MAKES_ERROR = /^(refuse|missing|malformed\w*|damaged|\w*Error)$/

const ignorer = {
  shouldIgnore(path) {
    const { node, parent } = path
    if (node.type === "SwitchCase" && isUnreachable(node)) return "unreachable"
    if (node.type !== "StringLiteral" && node.type !== "TemplateLiteral") return undefined
    return isSentence(path) || isArgument(node, parent) ? "a text for people" : undefined
  },
}

function isUnreachable({ test, consequent: [statement] }) {
  const value = statement?.argument ?? statement?.expression
  return (
    test === null && value?.type === "TSSatisfiesExpression" && value.typeAnnotation.type === "TSNeverKeyword"
  )
}

/** True if the text is in the declaration of `sentence`. */
function isSentence(path) {
  const declaration = path.findParent((above) => above.isVariableDeclarator() || above.isFunction())
  return declaration?.node.type === "VariableDeclarator" && declaration.node.id.name === "sentence"
}

/** True if the text is an argument of an error's constructor, and not the code, which is in capitals. */
function isArgument(node, parent) {
  if (parent?.type !== "CallExpression" && parent?.type !== "NewExpression") return false
  if (!MAKES_ERROR.test(parent.callee.name ?? "")) return false
  return node.type === "TemplateLiteral" || !/^[A-Z0-9_]+$/.test(node.value)
}

export const strykerPlugins = [{ kind: "Ignore", name: "sentences", value: ignorer }]
