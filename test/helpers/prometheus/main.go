// Reads a file of alert rules as Prometheus does, and expressions of PromQL, one in each line of the standard input.
// Prints the names of the metrics that each expression asks for. Fails with what is wrong.
package main

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

func main() {
	failed := false
	report := func(errs ...error) {
		for _, err := range errs {
			failed = true
			fmt.Fprintln(os.Stderr, err)
		}
	}
	promql := parser.NewParser(parser.Options{})
	_, errs := rulefmt.ParseFile(os.Args[1], false, model.UTF8Validation, promql, slog.Default())
	report(errs...)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		expr, err := promql.ParseExpr(lines.Text())
		if err != nil {
			report(fmt.Errorf("%s: %w", lines.Text(), err))
			continue
		}
		names := []string{}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				names = append(names, selector.Name)
			}
			return nil
		})
		fmt.Println(strings.Join(names, " "))
	}
	if failed {
		os.Exit(1)
	}
}
