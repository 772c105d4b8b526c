package service

import (
	"homeroom/api"
	"homeroom/api/openapi"
)

// Refusals are all that the document says a row can answer besides success.
func (s *Service) Refusals(row *api.Row) []*api.Error { return openapi.Refusals(row) }
