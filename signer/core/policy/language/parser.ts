import { expressionFault, excerpt, type Span, type ExpressionFault } from "./fault.ts"
import { readToken, type Token } from "./lexer.ts"
import { MAX_DEPTH, MAX_LIST_ITEMS, MAX_NODES, MAX_TEXT_BYTES } from "./limits.ts"
import type { Comparison, Name, Quantifier, StructMember, Syntax } from "./syntax.ts"

const COMPARISONS: ReadonlySet<string> = new Set<Comparison>(["==", "!=", "<", ">", "<=", ">=", "in"])
const QUANTIFIERS: ReadonlySet<string> = new Set<Quantifier>(["any", "all", "filter"])
const RESERVED: ReadonlySet<string> = new Set(["true", "false", "in"])

/** A node without its place and depth. */
type Parts = Syntax extends infer Node
  ? Node extends Syntax
    ? Omit<Node, keyof Span | "depth">
    : never
  : never

/**
 * Parses by recursive descent, one function per rule of the grammar in docs/policies.md. Its recursion is bounded by
 * `MAX_DEPTH`, so no text can overflow the stack; time and memory are linear in the text.
 * @throws ExpressionFault of kind `syntax`, `bound`, or `type` for an integer of more than 256 bits
 */
export function parse(text: string): Syntax {
  if (text.length > MAX_TEXT_BYTES || new TextEncoder().encode(text).length > MAX_TEXT_BYTES) {
    throw expressionFault("bound", { offset: 0, length: text.length }, "the expression is too long", {
      expected: `${MAX_TEXT_BYTES} bytes at most`,
    })
  }
  return new Parser(text).parse()
}

class Parser {
  readonly #text: string
  #token: Token
  #end = 0
  #nesting = 0
  #nodes = 0

  constructor(text: string) {
    this.#text = text
    this.#token = readToken(text, 0)
  }

  parse(): Syntax {
    const tree = this.#expression()
    if (this.#token.kind !== "end") throw this.#unexpected("an operator or the end of the text")
    return tree
  }

  #expression(): Syntax {
    return this.#nested(() =>
      this.#chain("or", "||", () => this.#chain("and", "&&", () => this.#comparison())),
    )
  }

  #chain(kind: "and" | "or", sign: string, next: () => Syntax): Syntax {
    const start = this.#token.offset
    const first = next()
    if (!this.#is(sign)) return first
    const parts = [first]
    while (this.#takes(sign)) parts.push(next())
    return this.#node(start, { kind, parts }, parts)
  }

  #comparison(): Syntax {
    const start = this.#token.offset
    const left = this.#unary()
    const operator = this.#comparisonSign()
    if (operator === undefined) return left
    this.#take()
    const right = this.#unary()
    if (this.#comparisonSign() !== undefined) throw this.#unexpected("&&, || or the end of the text")
    return this.#node(start, { kind: "compare", operator, left, right }, [left, right])
  }

  #comparisonSign(): Comparison | undefined {
    const token = this.#token
    const isWord = token.kind === "sign" || token.kind === "name"
    return isWord && COMPARISONS.has(token.text) ? (token.text as Comparison) : undefined
  }

  #unary(): Syntax {
    const start = this.#token.offset
    if (!this.#takes("!")) return this.#postfix()
    const operand = this.#nested(() => this.#unary())
    return this.#node(start, { kind: "not", operand }, [operand])
  }

  #postfix(): Syntax {
    const start = this.#token.offset
    let object = this.#primary()
    for (;;) {
      if (this.#takes(".")) object = this.#member(start, object)
      else if (this.#takes("[")) object = this.#bracket(start, object)
      else return object
    }
  }

  #member(start: number, object: Syntax): Syntax {
    const name = this.#name("a field or method")
    if (!this.#is("(")) {
      if (name.name === "count") return this.#node(start, { kind: "count", object }, [object])
      return this.#node(start, { kind: "member", object, name }, [object])
    }
    if (QUANTIFIERS.has(name.name)) return this.#quantifier(start, object, name.name as Quantifier)
    if (name.name === "contains") {
      this.#take()
      const item = this.#expression()
      this.#expect(")")
      return this.#node(start, { kind: "contains", object, item }, [object, item])
    }
    if (name.name === "count") {
      this.#take()
      this.#expect(")")
      return this.#node(start, { kind: "count", object }, [object])
    }
    throw expressionFault("syntax", name, `method does not exist: ${excerpt(name.name)}`, {
      expected: "any, all, filter, contains or count",
      found: excerpt(name.name),
    })
  }

  #quantifier(start: number, object: Syntax, quantifier: Quantifier): Syntax {
    this.#expect("(")
    const variable = this.#name("the name of a variable")
    this.#expect(",")
    const body = this.#expression()
    this.#expect(")")
    return this.#node(start, { kind: "quantifier", quantifier, object, variable, body }, [object, body])
  }

  #bracket(start: number, object: Syntax): Syntax {
    const key = this.#expression()
    if (!this.#takes("..")) {
      this.#expect("]")
      return this.#node(start, { kind: "bracket", object, key }, [object, key])
    }
    const to = this.#expression()
    this.#expect("]")
    return this.#node(start, { kind: "slice", object, from: key, to }, [object, key, to])
  }

  #primary(): Syntax {
    const token = this.#token
    switch (token.kind) {
      case "int":
        this.#take()
        return this.#node(token.offset, { kind: "literal", value: token.value }, [])
      case "string":
        this.#take()
        return this.#node(token.offset, { kind: "literal", value: token.text }, [])
      case "name":
        return this.#named()
      case "sign":
        if (token.text === "(") return this.#group()
        if (token.text === "[") return this.#list()
        if (token.text === "{") return this.#struct()
        throw this.#unexpected("a value")
      case "end":
        throw this.#unexpected("a value")
      default:
        return token satisfies never
    }
  }

  #named(): Syntax {
    const start = this.#token.offset
    if (this.#takes("true")) return this.#node(start, { kind: "literal", value: true }, [])
    if (this.#takes("false")) return this.#node(start, { kind: "literal", value: false }, [])
    const name = this.#name("a value")
    if (!this.#takes("(")) return this.#node(start, { kind: "name", name: name.name }, [])
    const parameters = this.#items(")")
    return this.#node(start, { kind: "call", name, parameters }, parameters)
  }

  #group(): Syntax {
    this.#take()
    const inner = this.#expression()
    this.#expect(")")
    return inner
  }

  #list(): Syntax {
    const start = this.#token.offset
    this.#take()
    const items = this.#items("]")
    return this.#node(start, { kind: "list", items }, items)
  }

  /** Expressions separated by commas, up to the closing sign, which is taken too. */
  #items(close: string): Syntax[] {
    const items: Syntax[] = []
    if (this.#takes(close)) return items
    do {
      if (items.length === MAX_LIST_ITEMS) {
        throw expressionFault("bound", this.#token, "the list is too long", {
          expected: `${MAX_LIST_ITEMS} elements at most`,
        })
      }
      items.push(this.#expression())
    } while (this.#takes(","))
    this.#expect(close)
    return items
  }

  #struct(): Syntax {
    const start = this.#token.offset
    this.#take()
    const members: StructMember[] = []
    do {
      const name = this.#name("the name of a field")
      this.#expect(":")
      members.push({ name, value: this.#expression() })
    } while (this.#takes(","))
    this.#expect("}")
    const values = members.map(({ value }) => value)
    return this.#node(start, { kind: "struct", members }, values)
  }

  #name(expected: string): Name {
    const token = this.#token
    if (token.kind !== "name" || RESERVED.has(token.text)) throw this.#unexpected(expected)
    this.#take()
    return { name: token.text, offset: token.offset, length: token.length }
  }

  #is(text: string): boolean {
    const token = this.#token
    return (token.kind === "sign" || token.kind === "name") && token.text === text
  }

  #takes(text: string): boolean {
    if (!this.#is(text)) return false
    this.#take()
    return true
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw this.#unexpected(text)
  }

  #take(): void {
    this.#end = this.#token.offset + this.#token.length
    this.#token = readToken(this.#text, this.#end)
  }

  /** Runs a rule that may recur. */
  #nested(rule: () => Syntax): Syntax {
    this.#nesting += 1
    if (this.#nesting > MAX_DEPTH) throw tooDeep(this.#token)
    const tree = rule()
    this.#nesting -= 1
    return tree
  }

  #node(offset: number, parts: Parts, children: readonly Syntax[]): Syntax {
    const depth = 1 + children.reduce((most, child) => Math.max(most, child.depth), 0)
    const span = { offset, length: this.#end - offset }
    if (depth > MAX_DEPTH) throw tooDeep(span)
    this.#nodes += 1
    if (this.#nodes > MAX_NODES) {
      throw expressionFault("bound", span, "the expression is too large", {
        expected: `${MAX_NODES} nodes at most`,
      })
    }
    return { ...span, depth, ...parts }
  }

  #unexpected(expected: string): ExpressionFault {
    const token = this.#token
    const found =
      token.kind === "end"
        ? "the end of the text"
        : excerpt(this.#text.slice(token.offset, token.offset + token.length))
    return expressionFault("syntax", token, `expected ${expected}, found ${found}`, { expected, found })
  }
}

function tooDeep(span: Span): ExpressionFault {
  return expressionFault("bound", span, "the expression is nested too deeply", {
    expected: `${MAX_DEPTH} levels at most`,
  })
}
