package main

import (
	"os"

	"github.com/spf13/cobra"

	"homeroom/api/openapi"
	"homeroom/cmd/service"
	"homeroom/config"
)

func openapiCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI document of this binary",
		Long: `Print the OpenAPI 3.1 document of all endpoints. docs/openapi.json is this output:
make openapi writes it, and make lint fails when it differs. Needs no database.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.Load(config.Local, map[string]string{"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
				"REDIS_URL": "redis://127.0.0.1:1"})
			if err != nil {
				return err
			}
			s, err := service.New(cmd.Context(), c, service.Options{})
			if err != nil {
				return err
			}
			defer s.Close()
			document, err := openapi.Document(s.Kernel)
			if err != nil {
				return err
			}
			_, err = os.Stdout.Write(document)
			return err
		},
	}
}
