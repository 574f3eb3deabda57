import { expect, test } from "vitest"
import { coversAddress, isHostPattern, webHostOf } from "../../../../domain/web/web-hosts.ts"

test.each([
  ["example.org", "https://example.org/a", true],
  ["Example.ORG", "https://example.org./", true],
  ["example.org", "http://example.org:8080/", true],
  ["example.org:443", "https://example.org/", true],
  ["example.org:443", "http://example.org/", false],
  ["example.org:8080", "https://example.org/", false],
  ["example.org", "https://docs.example.org/", false],
  ["example.org", "https://notexample.org/", false],
  ["example.org", "https://example.org.evil.net/", false],
  ["example.org", "https://example.org@evil.net/", false],
  ["*.example.org", "https://docs.example.org/", true],
  ["*.example.org", "https://example.org/", false],
  ["*.example.org", "https://notexample.org/", false],
  ["[2001:db8::1]:8080", "http://[2001:db8::1]:8080/", true],
  ["*", "https://example.org/", false],
  ["**", "https://example.org/", false],
  ["example.org", "no address", false],
])("%s covers %s: %s", (pattern, address, expected) => {
  expect(coversAddress([pattern], address)).toBe(expected)
})

test("a host is shown with a port that is not the usual one", () => {
  expect(webHostOf("https://Docs.example.org:443/a")).toBe("docs.example.org")
  expect(webHostOf("http://docs.example.org:8080")).toBe("docs.example.org:8080")
  expect(webHostOf("file:///etc/passwd")).toBeUndefined()
  for (const text of ["", "*", "a b", "https://a.org", "a.org/x", "*.*.org"]) expect(isHostPattern(text)).toBe(false)
})
