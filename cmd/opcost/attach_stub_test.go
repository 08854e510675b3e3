package main
import "testing"
func passwords(t *testing.T, s *attachServer) {}
func screens(t *testing.T, s *attachServer) {}
func appended(t *testing.T, s *attachServer) {}
func lostConnection(t *testing.T, s *attachServer) {}
func stopped(t *testing.T, s *attachServer) {}
