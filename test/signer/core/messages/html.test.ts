import fc from "fast-check"
import t from "tap"
import { requireMailHtml } from "../../../../signer/core/messages/html.ts"

const INVALID = { code: "OTP_MESSAGE_INVALID", field: "html" }
const check = (html: string, secret?: string) => requireMailHtml(html, "html", secret)

t.test("takes text, tables, links and pictures", async (t) => {
  for (const html of [
    "",
    "1 > 0 &amp; &#60;",
    '<!DOCTYPE html><html lang="en"><head><title>Hi</title><meta charset="utf-8"></head><body>x</body></html>',
    "<TABLE width=\"100%\" border='0'><tr><td style=\"color:rgb(1, 2, 3); font-family:'Arial'\">a</td></tr></TABLE >",
    '<a href="https://acme.example/?a=1&amp;b=2" target="_blank">a</a> <a href="acme://login">b</a><a href="">c</a>',
    '<img src="https://acme.example/logo.png" alt=""><br/><hr />',
  ])
    t.doesNotThrow(() => check(html), html)
})

t.test("O6: refuses scripts, documents, forms, style sheets and what it does not know", async (t) => {
  for (const html of [
    "<script>alert(1)</script>",
    "<ScRiPt >alert(1)</script>",
    "<svg><p></p></svg>",
    '<iframe src="https://a.example"></iframe>',
    '<form action="https://a.example"><input name="code"></form>',
    '<object data="https://a.example"></object>',
    '<link rel="stylesheet" href="https://a.example/a.css">',
    '<base href="https://a.example">',
    '<meta http-equiv="refresh" content="0;url=https://a.example">',
    "<style>p { color: red }</style>",
    "<!-- a -->",
    "<!--[if mso]><p></p><![endif]-->",
    "<![CDATA[ <p> ]]>",
    "<?xml version='1.0'?>",
    "<p>a</p><!doctype html>",
    "a < b",
    "<p",
    "<p title=a>b</p>",
    '<p title="a"id="b">c</p>',
    '<p title="<script>">a</p>',
    '<p onclick="alert(1)">a</p>',
    '<p\u00a0style="color:red">a</p>',
    '<p srcdoc="a">b</p>',
    '</p title="a">',
    '<img srcset="https://a.example/a.png 2x">',
    '<td background="https://a.example/a.png">',
  ])
    t.throws(() => check(html), INVALID, html)
})

t.test("O6: refuses addresses that run code or load something that is no picture", async (t) => {
  for (const value of [
    "javascript:alert(1)",
    "JavaScript://%0aalert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "&#106;avascript:alert(1)",
    "data:text/html,a",
    "//a.example",
    "/login",
    "https://a.example/ b",
  ]) {
    t.throws(() => check(`<a href="${value}">a</a>`), INVALID, value)
    t.throws(() => check(`<img src="${value}">`), INVALID, value)
  }
  t.throws(() => check('<img src="http://a.example/a.png">'), INVALID, "a picture without TLS")
  t.throws(() => check('<p src="https://a.example/a.png">a</p>'), INVALID, "on another element")
  for (const style of [
    "background:url(https://a.example)",
    "background:URL('https://a.example')",
    "background:image-set('https://a.example' 1x)",
    "background:u\\72l(https://a.example)",
    "background:ur&#108;(https://a.example)",
    "width:expression(alert(1))",
    "@import 'https://a.example'",
  ])
    t.throws(() => check(`<p style="${style}">a</p>`), INVALID, style)
})

t.test("a picture's host does not learn the code", async (t) => {
  t.throws(() => check('<img src="https://a.example/?code=CODE">', "CODE"), INVALID)
  t.doesNotThrow(() => check('<a href="https://a.example/?code=CODE">a</a>', "CODE"))
})

t.test("no text makes it fail in another way, or read it twice", async (t) => {
  const pieces = fc.constantFrom("<p", "<", ">", "/", '"', "'", "=", " ", "style", "a(", "href", "<!", "x")
  const property = fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
    try {
      check(parts.join(""))
    } catch (error) {
      return (error as { code?: string }).code === "OTP_MESSAGE_INVALID"
    }
    return true
  })
  t.doesNotThrow(() => fc.assert(property))
  for (const filling of [" ", "a", "<", ' a="b"', "a(", "-"])
    for (const start of ["<p", '<p style="', '<a href="'])
      t.throws(() => check(`${start}${filling.repeat(100_000)}`), INVALID)
})
