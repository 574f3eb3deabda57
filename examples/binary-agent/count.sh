#!/bin/sh
# Counts the words of the task: reads a JSON document from standard input and prints one on standard output.
exec node -e '
  let input = ""
  process.stdin.on("data", (chunk) => (input += chunk))
  process.stdin.on("end", () => {
    const { task } = JSON.parse(input)
    const words = task.split(/\s+/).filter(Boolean)
    const longest = words.reduce((left, right) => (right.length > left.length ? right : left), "")
    console.log(JSON.stringify({ result: `${words.length} words, the longest is "${longest}"` }))
  })
'
